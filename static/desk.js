// The desk. Its page works without this file, as plain forms. With it the pairs that come next are in memory: a grade
// is one request, and what it is answered with is that it was kept.
(() => {
  const desk = document.querySelector("main.desk");
  const home = desk.dataset.home;
  const MOST_AHEAD = 60; // Pairs, the one in sight among them.
  const MOST_TEXT = 16e6; // Characters of markup in memory.
  const SAID_IN_FULL = ["signed out", "somebody else"]; // Why grades wait, where the page has sentences for it.
  const PATIENCE = 3000; // ms. A server that takes longer to say “kept” is not waited for.
  const held = new Map(); // Pairs in memory that can be graded, by their assignment.
  const putOff = new Map(); // Pairs chosen for later that the server does not know of yet.
  const given = new Set(); // Assignments that were graded here: an answer from before may still show them as open.
  let awaited = null; // What was pressed last, while its answer decides what is shown next.
  let patience = 0;
  let isGradedBefore = false; // The pair in sight was graded before a reload, and its grade still waits.
  let isAsLoaded = true; // The pair in sight is the one that came with the page.
  let isLeaving = false;
  let isAllHeld = false;
  let isFilling = false;

  const part = (id) => document.getElementById(id);
  const shown = () => part("pair");
  const field = (pair, name) => pair.querySelector(`[name=${name}]`)?.value;
  const stopOf = (pair) => pair.dataset.order.split(" ")[0]; // Of the pairs that come together.
  const isOld = (pair) => pair.dataset.isOld !== undefined; // The server has more to show of it by now.
  const isOpen = (pair) => pair.dataset.id !== undefined && pair.dataset.given === "";

  // Pressing

  document.addEventListener("submit", (event) => {
    const { id } = event.target;
    if (!["grade", "later", "question"].includes(id)) return;
    event.preventDefault();
    if (awaited || desk.dataset.ready !== "yes" || !shown().dataset.id || Waiting.has(shown().dataset.id)) return;
    if (id === "grade") press(event.submitter);
    else if (id === "later") later();
    else ask();
  });

  function press(button) {
    const pair = shown();
    const grade = {
      assignment: pair.dataset.id,
      grade: button.name === "level" ? Number(button.value) : button.value,
      key: field(pair, "key"),
      revision: Number(field(pair, "revision")),
      rationale: part("rationale").value,
      active: Clock.take(),
      title: part("document").textContent,
      pair,
    };
    const isAlone = Waiting.length === 0;
    given.add(grade.assignment);
    putOff.delete(grade.assignment);
    await_(grade, button);
    Waiting.press(grade);
    if (!isAlone) goOn();
  }

  async function later() {
    const pair = shown();
    const chosen = { pair };
    await_(chosen, document.querySelector("[data-key=l]"));
    setAside(pair);
    try {
      const response = await tellPutOff(pair);
      answered(chosen, Waiting.parsed(await response.text()), response.headers.get("HX-Redirect"));
    } catch (error) {
      if (!error.isRefused) putOff.set(pair.dataset.id, pair);
      if (awaited !== chosen) return; // The state is another's by now.
      goOn();
      part("state").replaceChildren(part("not-put-off").content.cloneNode(true));
      settle(desk.dataset.why);
    }
  }

  async function ask() {
    const pair = shown();
    const button = desk.querySelector("button[form=question]");
    const asked = { pair, isOnNoDisk: true }; // The desk does not go on before its words have arrived.
    await_(asked, button);
    clearTimeout(patience);
    notAsked();
    try {
      const form = new URLSearchParams({ ...inHand(pair), question: part("asks").value });
      const response = await Waiting.ask(`${pair.dataset.at}/question`, form);
      if (!response.ok && ![409, 422].includes(response.status)) throw new Error(response.status);
      if (response.headers.get("HX-Redirect")) return leave(response.headers.get("HX-Redirect"));
      const answer = Waiting.parsed(await response.text());
      if (!response.ok && answer.getElementById("pair")) return refused(asked, answer);
      if (!response.ok) return notAsked(...answer.querySelectorAll(":is(.notice, .verdict) :is(h1, p:not(.next))"));
      setAside(pair);
      pair.dataset.isOld = ""; // When it comes back it brings the question along, and perhaps the ruling.
      part("asks").value = "";
      answered(asked, answer);
    } catch {
      notAsked(part("not-heard").content.cloneNode(true));
    }
  }

  // With the reason: the desk stays where it is, its words too.
  function notAsked(...why) {
    desk.querySelector(".not-asked").replaceChildren(...why);
    if (why.length === 0) return;
    awaited = null;
    clearTimeout(patience);
    desk.querySelectorAll(".pressed").forEach((each) => each.classList.remove("pressed"));
    part("rationale").readOnly = part("asks").readOnly = false;
    part("asks").focus(); // Whoever goes on with their words is in the field again.
    settle(desk.dataset.why);
  }

  function setAside(pair) {
    const [stop, times, place] = pair.dataset.order.split(" ");
    pair.dataset.order = [stop, Number(times) + 1, place].join(" ");
  }

  async function tellPutOff(pair) {
    const response = await Waiting.ask(`${pair.dataset.at}/later`, new URLSearchParams(inHand(pair)));
    const { ok, status } = response;
    const isRefused = status < 500 && ![401, 408, 429].includes(status);
    if (!ok) throw Object.assign(new Error(status), { isRefused });
    return response;
  }

  function await_(what, button) {
    awaited = what;
    button.classList.add("pressed");
    if (isTyping()) document.activeElement.blur(); // A finger on a button leaves the focus in the field it was in.
    part("rationale").readOnly = part("asks").readOnly = true;
    patience = setTimeout(goOn, PATIENCE);
    say("saving");
  }

  // What becomes of it

  Waiting.listen({ holding, answered, refused, stuck });

  function holding(grade) {
    const isBehind = Waiting.length > 1 || grade !== awaited;
    return isBehind ? {} : { ...inHand(grade.pair), holds: Math.min(held.size, MOST_AHEAD) };
  }

  function inHand(pair) {
    const next = ahead().find((each) => each !== pair);
    return next ? { next_id: next.dataset.id, next_key: field(next, "key") } : {};
  }

  function answered(grade, answer, to) {
    if (grade.assignment) given.add(grade.assignment); // Pressed before a reload, perhaps, and shown again since.
    answer.querySelectorAll("template").forEach((each) => hold(each.content.getElementById("pair")));
    if (grade === awaited) {
      if (to) return leave(to);
      finish(grade);
      part("state").replaceWith(answer.getElementById("state"));
      const pair = next(answer);
      if (!pair) return leave(`${home}/desk`);
      show(pair);
      settle(desk.dataset.why);
      if (held.size < MOST_AHEAD - 1 && !answer.querySelector("template")) fill();
      tellAllPutOff();
    } else if (awaited) return; // The answer to that says what is kept by then.
    else if (Waiting.length === 0) caughtUp(answer, to, grade);
    else settle();
  }

  // What the server finds due it may have found before the last presses came to it.
  function next(answer) {
    const sent = answer.getElementById("pair");
    const { next: id } = answer.getElementById("answer").dataset;
    if (given.has(id)) return ahead()[0] ?? (Waiting.length ? nothingAhead() : null);
    const pair = sent ?? held.get(id) ?? (shown().dataset.id === id ? shown() : ahead()[0]);
    takeCounts(answer, pair);
    return pair;
  }

  // How far its labeller has come, as the server counts it when nothing waits. `due` is the pair that it is said of.
  function takeCounts(answer, due) {
    const counted = answer.getElementById("answer")?.dataset;
    if (Waiting.length || !due?.dataset.id || counted?.roundGraded === undefined) return;
    for (const each of [due, shown(), ...held.values()]) {
      if (each.dataset.id === undefined) continue;
      each.dataset.roundGraded = counted.roundGraded;
      if (stopOf(each) === stopOf(due)) each.dataset.queryGraded = counted.queryGraded;
    }
  }

  function caughtUp(answer, to, last) {
    part("state").replaceWith(answer.getElementById("state") ?? part("state"));
    settle();
    tellAllPutOff();
    // What was pressed before a reload may have been taken while this page was on its way: it would show an old pair.
    const mayBeOld = isGradedBefore || (isAsLoaded && !last.pair);
    if (!isWriting() && (to || mayBeOld || !shown().dataset.id)) return leave(to ?? `${home}/desk`);
    const due = answer.getElementById("answer")?.dataset.next;
    takeCounts(answer, [shown(), ...held.values()].find((each) => each.dataset.id === due));
    count(shown());
    fill();
  }

  const isWriting = () => isTyping() || part("rationale").value !== "" || part("asks").value !== "";

  async function tellAllPutOff() {
    for (const [id, pair] of [...putOff]) {
      putOff.delete(id);
      await tellPutOff(pair).catch((error) => error.isRefused || putOff.set(id, pair));
    }
  }

  function refused(grade, answer) {
    const pair = answer.getElementById("pair");
    given.delete(grade.assignment);
    if (grade === awaited && pair) {
      awaited = null;
      clearTimeout(patience);
      const state = answer.getElementById("state");
      if (state) part("state").replaceWith(state);
      else part("state").replaceChildren(part("not-saved").content.cloneNode(true));
      show(pair);
      settle();
      return;
    }
    list(grade, answer.querySelector(".notice, .verdict"));
    part("state").replaceChildren(); // What it said was of another grade.
    if (grade === awaited) goOn();
    if (grade.isCounted) {
      tally(grade.pair, -1);
      count(shown());
    }
    settle();
  }

  function list(grade, notice) {
    const item = part("refused").querySelector("template").content.firstElementChild.cloneNode(true);
    item.querySelector("b").textContent = grade.title ?? "A pair of before";
    item.querySelector(".pressed-grade").textContent = grade.grade;
    if (grade.rationale) item.querySelector(".words").textContent = `“${grade.rationale}”`;
    item.querySelector("div").append(...(notice?.querySelectorAll("p:not(.next), h1, dl") ?? []));
    item.querySelector("a").href = `${home}/desk/${grade.assignment}`;
    part("refused").querySelector("ul").append(item);
    part("refused").hidden = false;
  }

  function dismiss(within) {
    within.closest("#refused li")?.remove();
    part("refused").hidden = part("refused").querySelector("li") === null;
    tellRefused();
  }

  function tellRefused() {
    part("state").querySelector(".unsaved")?.remove();
    const number = part("refused").querySelectorAll("li").length;
    if (number === 0) return;
    part("state").prepend(part("not-kept").content.cloneNode(true));
    part("state").querySelector(".unsaved b").textContent = grades(number);
  }

  const grades = (number) => (number === 1 ? "1 grade" : `${number} grades`);

  function stuck(why, who) {
    desk.querySelector(".who").textContent = who ?? "";
    if (awaited && !awaited.isOnNoDisk) goOn();
    else if (isGradedBefore) showAhead();
    say("waiting", why);
  }

  // Without an answer: the grade waits, and the desk goes on from memory.

  function goOn() {
    if (!awaited) return;
    finish(awaited);
    showAhead();
    settle(desk.dataset.why || "The server has not answered yet.");
  }

  function showAhead() {
    isGradedBefore = false;
    show(ahead()[0] ?? nothingAhead());
  }

  const nothingAhead = () => part("nothing-ahead").content.firstElementChild.cloneNode(true);

  function finish(pressed) {
    const { pair, grade } = pressed;
    awaited = null;
    clearTimeout(patience);
    if (grade === undefined || !isOpen(pair)) return;
    pair.dataset.given = grade;
    pressed.isCounted = true;
    tally(pair, 1);
  }

  // One graded pair more, or one fewer where what was pressed could not be kept.
  function tally(pair, by) {
    const add = (each, name) => (each.dataset[name] = Number(each.dataset[name]) + by);
    for (const each of [shown(), ...held.values()]) {
      if (each === pair || each.dataset.id === undefined) continue;
      add(each, "roundGraded");
      if (stopOf(each) === stopOf(pair)) add(each, "queryGraded");
    }
  }

  function leave(to) {
    isLeaving = true;
    desk.dataset.ready = "no";
    location.assign(to);
  }

  // Memory

  function ahead() {
    const open = [...held.values()].filter(({ dataset: { id } }) => !Waiting.has(id) && !given.has(id));
    const places = (pair) => pair.dataset.order.split(" ").map(Number);
    return open.sort((one, other) => {
      const [mine, theirs] = [places(one), places(other)];
      return mine[0] - theirs[0] || mine[1] - theirs[1] || mine[2] - theirs[2];
    });
  }

  function hold(pair) {
    const { id } = pair.dataset;
    // One that is held already may have words that were begun for it.
    if (id === shown().dataset.id || held.has(id) || Waiting.has(id) || given.has(id)) return;
    held.set(id, document.adoptNode(pair));
  }

  const isFull = () =>
    held.size >= MOST_AHEAD - 1 || [...held.values()].reduce((sum, each) => sum + sizeOf(each), 0) > MOST_TEXT;
  const sizeOf = (pair) => pair.textContent.length + (pair.querySelector(".as-page")?.srcdoc.length ?? 0);

  async function fill() {
    if (isFilling || isAllHeld) return;
    isFilling = true;
    try {
      for (let skip = held.size; !isFull() && !isAllHeld && skip < MOST_AHEAD; ) {
        const response = await Waiting.ask(`${home}/desk/ahead?skip=${skip}`);
        if (!response.ok) break;
        const sheets = Waiting.parsed(await response.text()).querySelectorAll("template");
        sheets.forEach((each) => hold(each.content.getElementById("pair")));
        isAllHeld = sheets.length === 0;
        skip += sheets.length;
      }
    } catch {
      // Out of reach: it is filled after the next answer.
    }
    isFilling = false;
    desk.dataset.ahead = held.size;
  }

  // Showing

  function show(pair) {
    isAsLoaded = false;
    document.dispatchEvent(new CustomEvent("desk:changing"));
    const left = shown();
    // Words that belong to a pair stay with it, in this window.
    const words = { rationale: part("rationale").value, question: part("asks").value };
    if (isOpen(left)) Object.assign(left.dataset, words);
    if (left.dataset.id === pair.dataset.id) pair.dataset.question = words.question;
    if (left.dataset.id && isOpen(left) && left.dataset.id !== pair.dataset.id && !isOld(left))
      held.set(left.dataset.id, left);
    held.delete(pair.dataset.id);
    left.replaceWith(pair);
    mark(pair);
    count(pair);
    window.scrollTo(0, 0);
    part("document")?.focus({ preventScroll: true });
    document.dispatchEvent(new CustomEvent("desk:changed"));
  }

  function mark(pair) {
    for (const form of ["grade", "later", "question"]) part(form).action = `${pair.dataset.at}/${form}`;
    desk.querySelectorAll(".pressed").forEach((each) => each.classList.remove("pressed"));
    desk.querySelectorAll("button[form=grade]").forEach((each) => {
      each.classList.toggle("given", pair.dataset.given === each.value);
    });
    document.querySelector("[data-key=l]").disabled = !isOpen(pair);
    const words = pair.dataset.rationale ?? "";
    Object.assign(part("rationale"), { value: words, readOnly: false });
    Object.assign(part("asks"), { value: pair.dataset.question ?? "", readOnly: false });
    desk.querySelector(".not-asked").replaceChildren();
    desk.querySelectorAll("details[name=more]").forEach((each) => {
      each.open = words !== "" && each.contains(part("rationale"));
    });
  }

  function count(pair) {
    const { queryGraded, roundGraded, roundPairs } = pair.dataset;
    if (roundGraded === undefined) return;
    const at = (graded) => Number(graded) + (isOpen(pair) ? 1 : 0);
    pair.querySelector("[data-count=query]").textContent = at(queryGraded);
    pair.querySelector("[data-count=round]").textContent = at(roundGraded).toLocaleString("en");
    desk.querySelector(".bar").value = Number(roundGraded);
    document.title = document.title.replace(/^[^·]*/u, `${at(roundGraded)} of ${roundPairs} `);
  }

  // Saying: never more than is true.

  const settle = (why) => say(Waiting.length ? "waiting" : "no", why);

  function say(state, why = "") {
    desk.dataset.saving = state;
    desk.dataset.why = why;
    const number = Waiting.length;
    if (state === "waiting") {
      desk.querySelector("[data-waiting]").textContent = grades(number);
      desk.querySelector(".why").textContent = SAID_IN_FULL.includes(why) ? "" : `${why} ${keptWords()}`;
    }
    tellRefused();
    part("said").textContent = state === "no" ? part("state").textContent : ""; // What waits is an alert of its own.
  }

  function keptWords() {
    if (Waiting.isOnlyHere) return "Leave this window open: this browser keeps nothing on its disk.";
    const rationales = Waiting.rationales;
    if (rationales === 0) return "It is tried again by itself, and after a reload too.";
    const which = rationales === 1 ? "One rationale is" : `${rationales} rationales are`;
    return `It is tried again by itself. ${which} in this window only: after a reload the grade is sent without.`;
  }

  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-retry]")) Waiting.send();
    if (event.target.closest("[data-dismiss]")) dismiss(event.target);
  });

  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && Waiting.length) Waiting.send();
  });

  window.addEventListener("beforeunload", (event) => {
    if (Waiting.isOnlyHere || Waiting.rationales || (!isLeaving && hasUnsent())) event.preventDefault();
  });

  // Words that were begun, of the pair in sight or of another that comes again.
  function hasUnsent() {
    const before = isOpen(shown()) ? "" : shown().dataset.rationale ?? "";
    const isBegun = part("rationale").value !== before || part("asks").value !== "";
    return isBegun || [...held.values()].some(({ dataset }) => dataset.rationale || dataset.question);
  }

  // Back: the last grades, over the desk; from there a pair is fetched and shown in place.

  document.addEventListener("click", async (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    const back = event.target.closest("a[data-key=u]");
    const link = event.target.closest("#last a, #refused a");
    const on = ahead().length && event.target.closest("#state a");
    if (!back && !link && !on) return;
    event.preventDefault();
    if (awaited) return;
    if (back) showLast();
    else if (link) again(link);
    else backAgain();
  });

  async function showLast() {
    const [sheet, pair] = [part("last"), shown()];
    try {
      const page = Waiting.parsed(await (await Waiting.ask(`${home}/work/last`)).text());
      sheet.replaceChildren(...page.body.children);
    } catch {
      sheet.replaceChildren(part("no-list").content.cloneNode(true));
    }
    if (awaited || isTyping() || shown() !== pair) return; // Whoever has gone on does not want it any more.
    sheet.showPopover();
    sheet.querySelector("a, button")?.focus();
  }

  async function again(link) {
    const inSight = shown();
    const response = await Waiting.ask(link.href).catch(() => null);
    const pair = response?.ok ? Waiting.parsed(await response.text()).getElementById("pair") : null;
    // Whoever writes by now has gone on; so has who graded meanwhile, or shut the list.
    if (awaited || isTyping() || shown() !== inSight || !link.checkVisibility()) return;
    if (!pair) return leave(link.href);
    if (part("last").matches(":popover-open")) part("last").hidePopover();
    dismiss(link);
    show(pair);
    part("state").replaceChildren(part("graded-before").content.cloneNode(true));
    settle(desk.dataset.why);
  }

  function backAgain() {
    show(ahead()[0]);
    part("state").replaceChildren();
    settle(desk.dataset.why);
  }

  // Rulings, as they are by now

  desk.querySelector(".rulings-here").addEventListener("toggle", async (event) => {
    const response = event.target.open && (await Waiting.ask(`${home}/rulings?rubric=${desk.dataset.rubric}`).catch(() => null));
    if (!response?.ok) return;
    const page = Waiting.parsed(await response.text());
    part("rulings").replaceChildren(...page.body.children);
    event.target.querySelector("summary b").textContent = part("rulings").querySelectorAll("li").length;
  });

  // What another window keeps on the same disk. Most of it is sent before anybody has read that it waits.

  let telling = 0;

  function tellElsewhere() {
    telling = 0;
    tellOf("elsewhere", Waiting.elsewhere);
  }

  function tellOf(id, number) {
    part(id).hidden = number === 0;
    part(id).querySelector("b").textContent = grades(number);
  }

  window.addEventListener("storage", () => {
    if (Waiting.elsewhere === 0) tellElsewhere();
    else telling ||= setTimeout(tellElsewhere, PATIENCE);
  });

  // A page out of the browser's memory shows a pair of long ago.
  window.addEventListener("pageshow", (event) => event.persisted && location.reload());

  Waiting.takeOver().then(async () => {
    tellOf("of-others", Waiting.ofOthers);
    tellElsewhere();
    isGradedBefore = Waiting.has(shown().dataset.id);
    if (Waiting.length) {
      part("before")?.remove(); // Grades wait: they have begun.
      say("waiting", "Pressed before this page was loaded.");
    }
    await fill();
    if (Waiting.length) Waiting.send();
  });
})();
