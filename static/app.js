// Keys: each clicks the button that bears its name. And what a shared browser must not keep after signing out.
const isTyping = (element = document.activeElement) =>
  Boolean(element?.closest("input:not([type=checkbox]), textarea, select"));
// A key that an input method takes for itself; Safari tells of its last one by the number alone.
const isComposing = (event) => event.isComposing || event.keyCode === 229;

(() => {
  const SETTLE = 300; // ms. Nobody has read a document by then: it is the second half of a double press.
  const KEPT = "adjudge waiting ";
  const LEFT = "adjudge left typing"; // Over to the page that comes, where this one goes while somebody types.
  const desk = document.querySelector("main.desk");
  const wasTyping = sessionStorage.getItem(LEFT) !== null;
  sessionStorage.removeItem(LEFT);

  // Grades that wait on this machine are the person's who pressed them, see waiting.js: only they take theirs away.

  document.querySelector("form[action='/sign-out']")?.addEventListener("submit", (event) => {
    const isOfOthers = (name) => name.startsWith(KEPT) && !isOwn(name);
    const isOwn = (name) => name.startsWith(`${KEPT}${event.target.dataset.person} `);
    const names = Object.keys(localStorage);
    const kept = names.filter(isOwn);
    const words = kept.length === 1 ? "One grade is" : `${kept.length} grades are`;
    if (kept.length && !confirm(`${words} not saved yet, and will be lost. Open the desk to send them. Sign out now?`))
      return event.preventDefault();
    names.filter((name) => !isOfOthers(name)).forEach((name) => localStorage.removeItem(name));
  });

  // A document that came as HTML stands in a frame where no script runs. It is made as high as what it holds, and what
  // is pressed or moved in it is as if it were beside it.

  const heights = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      const frame = target.ownerDocument.defaultView?.frameElement;
      if (frame) frame.style.height = `${Math.ceil(target.getBoundingClientRect().height)}px`;
    }
  });
  const opened = new WeakSet();

  function open(frame) {
    const page = frame.contentDocument;
    if (page?.URL !== "about:srcdoc" || page.readyState === "loading" || opened.has(page)) return;
    opened.add(page);
    heights.observe(page.body);
    for (const name of ["keydown", "pointerdown", "pointermove"])
      page.addEventListener(name, (event) => {
        if (name === "pointerdown") document.querySelector(":popover-open")?.hidePopover();
        const copy = name === "keydown" ? new KeyboardEvent(name, event) : new Event(name, { bubbles: true });
        if (!frame.dispatchEvent(copy)) event.preventDefault();
      });
    page.addEventListener("heard", () => (frame.dataset.heard = ""));
    page.dispatchEvent(new Event("heard"));
    document.dispatchEvent(new CustomEvent("desk:opened"));
  }

  // Safari tells nobody what happens in such a frame: there the focus comes back to the page at once.
  window.addEventListener("blur", () =>
    setTimeout(() => {
      if (document.activeElement?.matches(".as-page:not([data-heard])"))
        document.getElementById("document").focus({ preventScroll: true });
    }),
  );

  document.addEventListener("load", (event) => event.target.matches?.(".as-page") && open(event.target), true);
  document.querySelectorAll(".as-page").forEach(open);

  if (!desk) return;

  document.addEventListener("desk:changed", settle);
  settle();

  function settle() {
    desk.dataset.ready = "no";
    clearTimeout(settle.timer);
    settle.timer = setTimeout(() => (desk.dataset.ready = "yes"), SETTLE);
  }

  const isAnswering = (button) => ["grade", "later"].includes(button?.form?.id);

  document.addEventListener("keydown", (event) => {
    if (isComposing(event)) return;
    if (event.key === "Escape") return close(event);
    if (event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
    if (isTyping(event.target)) return;
    const button = names(event).map(keyed).find(Boolean);
    if (!button) return;
    event.preventDefault();
    if (areKeysOff()) return;
    if (desk.dataset.saving === "saving" && opensField(button)) return turnKeysOff();
    const field = fieldOf(button);
    const sheet = document.querySelector(":popover-open");
    if (sheet && opensField(button)) sheet.hidePopover();
    if (field && button.matches("details[open] > summary")) return field.focus();
    button.click();
    if (button.matches("details[open] > summary")) button.parentElement.querySelector("li button")?.focus();
  });

  const fieldOf = (name) => name?.parentElement.querySelector(":scope > textarea");
  const opensField = (button) => button.dataset.key === "/" || Boolean(fieldOf(button));

  // Whoever presses the name of a field is in it, as by its key: the words that follow would be keys. From within the
  // field the same press shuts it.

  let left = null;
  document.addEventListener("pointerdown", () => (left = document.activeElement), true);

  document.addEventListener("click", (event) => {
    const field = fieldOf(event.target.closest("summary"));
    const isShut = field?.parentElement.open && (event.detail === 0 || field === left);
    if (!field || isShut) return;
    event.preventDefault();
    field.parentElement.open = true;
    field.focus();
  });

  // Whoever types while the pair changes under their hands would grade the next one with their words. From then on no
  // key counts until they say so.

  const off = document.getElementById("keys-off");
  const areKeysOff = () => off?.hidden === false;

  function turnKeysOff() {
    if (off) off.hidden = false;
  }

  function turnKeysOn() {
    off.hidden = true;
    document.getElementById("document")?.focus({ preventScroll: true });
  }

  document.addEventListener("desk:changing", () => isTyping() && turnKeysOff());
  window.addEventListener("pagehide", () => {
    if (areKeysOff() || isTyping()) sessionStorage.setItem(LEFT, "yes");
  });
  off?.querySelector("button").addEventListener("click", turnKeysOn);
  if (wasTyping) turnKeysOff();

  function names(event) {
    // Where a layout has no digits or Latin letters in reach, the key's place on the keyboard counts.
    const place = /^(?:Digit|Key)(.)$/.exec(event.code)?.[1].toLowerCase();
    const isForeign = place >= "a" ? !/^[!-~]$/.test(event.key) : !event.shiftKey;
    return place && isForeign ? [event.key.toLowerCase(), place] : [event.key.toLowerCase()];
  }

  // Before the first grade of a round stands the rubric; no key grades behind it.

  const before = document.getElementById("before");

  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-begin]")) return;
    event.preventDefault();
    before.remove();
    window.scrollTo(0, 0);
    document.getElementById("document")?.focus({ preventScroll: true });
    document.dispatchEvent(new CustomEvent("desk:changed"));
  });

  function keyed(name) {
    if (before?.isConnected) return undefined;
    const sheet = document.querySelector(":popover-open");
    return [...document.querySelectorAll("[data-key]")].find(
      (each) =>
        each.dataset.key === name &&
        !each.disabled &&
        !each.closest("[hidden]") &&
        (each.matches("summary") || !each.closest("details:not([open])")) &&
        (!sheet || sheet.contains(each) || each.getAttribute("popovertarget") === sheet.id || opensField(each)),
    );
  }

  function close(event) {
    const sheet = document.querySelector(":popover-open");
    const open = desk.querySelector("details[name=more][open]");
    if (areKeysOff()) turnKeysOn();
    else if (sheet) {
      event.preventDefault(); // One thing is closed by one press.
      sheet.hidePopover(); // The browser itself does it only for a press outside of the document's frame.
    } else if (isTyping(event.target)) event.target.blur();
    else if (open) {
      open.open = false;
      open.querySelector("summary").focus();
    }
  }

  // One grade at a time: not for a pair that has only just come, nor for the further ones of clicks in a row. What is
  // dropped is said where it may have been meant.

  const ROW = 500; // ms between clicks on one spot.
  const SPOT = 8; // px.
  let last = { timeStamp: -ROW, clientX: 0, clientY: 0 };

  function isInRow(event) {
    const isNear = Math.hypot(event.clientX - last.clientX, event.clientY - last.clientY) < SPOT;
    const isSoon = event.timeStamp - last.timeStamp < ROW;
    last = event;
    return event.detail > 1 || (isNear && isSoon);
  }

  document.addEventListener(
    "click",
    (event) => {
      if (event.detail === 0 || !isAnswering(event.target.closest("button")) || !isInRow(event)) return;
      event.preventDefault();
      drop();
    },
    true,
  );

  document.addEventListener(
    "submit",
    (event) => {
      if (!isAnswering(event.submitter) || desk.dataset.ready === "yes") return;
      event.preventDefault();
      event.stopPropagation();
      drop();
    },
    true,
  );

  function drop() {
    const { saving } = desk.dataset;
    const line = desk.querySelector(saving === "waiting" ? ".if-waiting > span" : ".if-no") ?? desk.querySelector(".state");
    if (saving === "saving" || !line || line.querySelector(".hasty")) return;
    const said = Object.assign(document.createElement("span"), { className: "hasty" });
    said.textContent = "Too quick: press again. ";
    line.prepend(said);
    const aloud = document.getElementById("said");
    if (aloud) aloud.textContent = said.textContent;
  }

  document.addEventListener("desk:changed", () => desk.querySelectorAll(".hasty").forEach((each) => each.remove()));
})();
