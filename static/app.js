// The desk. Its page works without this file: here are its keys, and what it says while a grade is on its way.
(() => {
  const desk = document.querySelector("main.desk");
  if (!desk) return;

  const SETTLE = 300; // ms. Nobody has read a document by then: it is the second half of a double press.
  const TIMEOUT = 15000;
  const RETRY = [2000, 4000, 8000, 15000];
  let pressed = null; // The button whose grade is not acknowledged yet.
  let tries = 0;
  let timer = 0;

  const part = (id) => document.getElementById(id);
  const isGrading = (button) => button?.form?.id === "grade";

  function settle() {
    desk.dataset.ready = "no";
    setTimeout(() => (desk.dataset.ready = "yes"), SETTLE);
  }
  settle();

  // Keys: each clicks the button that bears its name.

  const isTyping = (element) => element.closest("input, textarea, select") !== null;

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") return close(event.target);
    if (event.repeat || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    const button = names(event).map(keyed).find(Boolean);
    if (!button) return;
    event.preventDefault();
    button.click();
    if (button.matches("details[open] > summary")) button.parentElement.querySelector("textarea, li button").focus();
  });

  function names(event) {
    // Where a layout has no digits or Latin letters in reach, the key's place on the keyboard counts.
    const place = /^(?:Digit|Key)(.)$/.exec(event.code)?.[1].toLowerCase();
    const isForeign = place >= "a" ? !/^[!-~]$/.test(event.key) : !event.shiftKey;
    return place && isForeign ? [event.key.toLowerCase(), place] : [event.key.toLowerCase()];
  }

  function keyed(name) {
    const sheet = document.querySelector(":popover-open");
    return [...document.querySelectorAll("[data-key]")].find(
      (each) =>
        each.dataset.key === name &&
        !each.disabled &&
        (each.matches("summary") || !each.closest("details:not([open])")) &&
        (!sheet || each.getAttribute("popovertarget") === sheet.id),
    );
  }

  function close(target) {
    const open = desk.querySelector("details[name=more][open]");
    if (isTyping(target)) target.blur();
    else if (open) {
      open.open = false;
      open.querySelector("summary").focus();
    }
  }

  // Back: the last grades, over the desk.

  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-retry]")) retry();
    // The browser counts clicks: the second of a double click must not grade the pair that has come meanwhile.
    if (event.detail > 1 && isGrading(event.target.closest("button"))) event.preventDefault();
    if (!event.target.closest("a[data-key=u]") || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    htmx.trigger("#last", "look");
  });

  // A grade on its way: one at a time, and the next pair only as the answer to it.

  const sent = (event) => (event.detail.requestConfig ?? event.detail).triggeringEvent?.submitter;

  document.addEventListener(
    "submit",
    (event) => {
      if (!isGrading(event.submitter)) return;
      const isAgain = event.submitter === pressed && desk.dataset.saving === "failed";
      if (isAgain || (!pressed && desk.dataset.ready === "yes")) return;
      event.preventDefault();
      event.stopPropagation();
    },
    true,
  );

  document.addEventListener("htmx:configRequest", (event) => {
    const button = sent(event);
    if (!isGrading(button)) return;
    // htmx takes note of a button some moments after it appears; the event always knows which one it was.
    event.detail.path = button.getAttribute("formaction");
    if (button.name) event.detail.formData.set(button.name, button.value);
    event.detail.timeout = TIMEOUT;
  });

  document.addEventListener("htmx:beforeRequest", (event) => {
    if (!isGrading(sent(event))) return;
    pressed = sent(event);
    pressed.classList.add("pressed");
    part("rationale").readOnly = true;
    say("waiting");
  });

  document.addEventListener("htmx:beforeSwap", (event) => {
    if (event.detail.shouldSwap && event.target.id === "desk") acknowledge();
  });

  document.addEventListener("htmx:beforeOnLoad", (event) => {
    if (event.detail.xhr.getResponseHeader("HX-Redirect")) acknowledge();
  });

  document.addEventListener("htmx:afterSwap", (event) => {
    if (event.target.id === "last") {
      part("last").showPopover();
      part("last").querySelector("a")?.focus();
    } else if (event.target.id === "desk") {
      window.scrollTo(0, 0);
      part("document")?.focus({ preventScroll: true });
      part("said").textContent = part("state")?.textContent ?? "";
    }
  });

  function acknowledge() {
    clearTimeout(timer);
    pressed = null;
    tries = 0;
    say("no");
    settle();
  }

  function say(state, why = "") {
    desk.dataset.saving = state;
    desk.querySelector(".why").textContent = why;
  }

  // What could not be sent stays chosen and is sent again under its key: it can't become two grades.

  function fail(why, isFinal = false) {
    if (!pressed) return;
    say("failed", why);
    if (!isFinal) timer = setTimeout(retry, RETRY[Math.min(tries++, RETRY.length - 1)]);
  }

  function retry() {
    clearTimeout(timer);
    if (pressed && desk.dataset.saving === "failed") part("grade").requestSubmit(pressed);
  }

  document.addEventListener("htmx:sendError", () => fail("The server can’t be reached. It is tried again by itself."));
  document.addEventListener("htmx:timeout", () => fail("The server does not answer. It is tried again by itself."));
  document.addEventListener("htmx:responseError", (event) => {
    const status = event.detail.xhr.status;
    if (status === 401) fail("You are signed out. Sign in again in another window; then it is sent from here.");
    else if (status < 500) fail("The server refuses it. Load the page again, or ask the lead.", true);
    else fail("Something went wrong at the server. It is tried again by itself.");
  });

  window.addEventListener("beforeunload", (event) => {
    if (pressed) event.preventDefault();
  });
})();
