// Grades that are pressed and not acknowledged yet: sent in order, each under the key that came with its pair, so that
// sending it again can't make two. On disk is kept what that needs and no more: assignment, grade, key, revision. The
// key holds the hash of the text that was read. A rationale stays in this window only. What waits is its person's: it is
// sent while they are signed in, and stays where somebody else is.
const Waiting = (() => {
  const TIMEOUT = 15000;
  const RETRY = [1000, 2000, 4000, 8000, 15000];
  const WHY = {
    TimeoutError: "The server does not answer.",
    Foreign: "Something else answers in the server’s place.",
  };
  const desk = document.querySelector("main.desk");
  const KEPT = "adjudge waiting ";
  const ours = `${KEPT}${desk.dataset.person} ${desk.dataset.project} `;
  const tab = Math.random().toString(36).slice(2);
  const grades = [];
  let count = 0;
  let isSending = false;
  let tries = 0;
  let timer = 0;
  let listener; // What the desk does: holding(grade), answered(grade, answer, to), refused(grade, answer), stuck(why, who).

  // On disk

  const isOwn = (name) => name.startsWith(`${KEPT}${desk.dataset.person} `);
  const isHere = (name) => grades.some((each) => each.name === name);
  const kept = (isWanted) =>
    Object.keys(localStorage).filter((name) => name.startsWith(KEPT) && isWanted(name)).length;

  function keep(grade) {
    const { assignment, grade: given, key, revision } = grade;
    grade.name = `${ours}${tab} ${String(++count).padStart(6, "0")}`;
    try {
      localStorage.setItem(grade.name, JSON.stringify({ assignment, grade: given, key, revision }));
    } catch {
      grade.isOnlyHere = true; // The disk is full or shut off: the page says that a reload would lose it.
    }
  }

  function forget(grade) {
    grades.splice(grades.indexOf(grade), 1);
    localStorage.removeItem(grade.name);
  }

  // A window that lives holds a lock of its own name; what others left behind is taken over.

  async function takeOver() {
    const living = new Set();
    if (navigator.locks) {
      navigator.locks.request(`adjudge ${tab}`, () => new Promise(() => {}));
      for (const { name } of (await navigator.locks.query()).held) living.add(name);
    }
    const names = Object.keys(localStorage).filter((name) => name.startsWith(ours));
    for (const name of names.sort()) {
      const [other] = name.slice(ours.length).split(" ");
      if (other === tab || living.has(`adjudge ${other}`)) continue;
      const grade = readKept(name);
      if (grade?.assignment) grades.push({ ...grade, name });
    }
  }

  function readKept(name) {
    try {
      return JSON.parse(localStorage.getItem(name));
    } catch {
      return null; // Not written here: the others are sent all the same.
    }
  }

  // On its way

  async function send() {
    clearTimeout(timer);
    if (isSending) return;
    isSending = true;
    try {
      while (grades.length) {
        const [grade] = grades;
        const sent = await post(grade);
        if (sent.why) {
          listener.stuck(sent.why, sent.who);
          timer = setTimeout(send, sent.after ?? RETRY[Math.min(tries++, RETRY.length - 1)]);
          return;
        }
        tries = 0;
        forget(grade);
        if (sent.isKept) listener.answered(grade, sent.answer, sent.to);
        else listener.refused(grade, sent.answer);
      }
    } finally {
      isSending = false;
    }
  }

  async function post(grade) {
    const form = new URLSearchParams({ key: grade.key, revision: grade.revision, ...listener.holding(grade) });
    form.set(typeof grade.grade === "number" ? "level" : "reason", grade.grade);
    if (grade.rationale !== undefined) form.set("rationale", grade.rationale);
    if (grade.active !== undefined) form.set("active_ms", Math.round(grade.active));
    try {
      return await answerOf(await ask(`${desk.dataset.home}/judging/${grade.assignment}/grade`, form));
    } catch (error) {
      return { why: WHY[error.name] ?? "The server can’t be reached." };
    }
  }

  // A network that wants a sign-in answers in the server's place, and seems to have taken what it has thrown away.
  async function ask(address, form) {
    const response = await fetch(address, {
      method: form ? "POST" : "GET",
      body: form,
      headers: { "HX-Request": "true", "Adjudge-Person": desk.dataset.person },
      redirect: "error",
      signal: AbortSignal.timeout(TIMEOUT),
    });
    if (response.status < 500 && !response.headers.has("Adjudge-Answer"))
      throw Object.assign(new Error(address), { name: "Foreign" });
    return response;
  }

  async function answerOf(response) {
    const { status, headers } = response;
    if (status === 401) return { why: "signed out" };
    if (status >= 500 || status === 429 || status === 408)
      return { why: "The server can’t take it now.", after: 1000 * Number(headers.get("Retry-After")) || undefined };
    const answer = parsed(await response.text());
    const who = answer.querySelector("[data-signed-in]")?.dataset.signedIn;
    if (who !== undefined) return { why: "somebody else", who };
    return { isKept: response.ok, answer, to: headers.get("HX-Redirect") };
  }

  const parsed = (html) => new DOMParser().parseFromString(html, "text/html");

  window.addEventListener("online", () => grades.length && send());

  return {
    ask,
    parsed,
    send,
    takeOver,
    listen: (to) => (listener = to),
    has: (assignment) => grades.some((each) => each.assignment === assignment),
    get ofOthers() {
      return kept((name) => !isOwn(name));
    },
    get elsewhere() {
      return kept((name) => isOwn(name) && !isHere(name));
    },
    get length() {
      return grades.length;
    },
    get isOnlyHere() {
      return grades.some((each) => each.isOnlyHere);
    },
    get rationales() {
      return grades.filter((each) => each.rationale).length;
    },
    press(grade) {
      keep(grade);
      grades.push(grade);
      return send();
    },
  };
})();
