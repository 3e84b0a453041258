// Find in the document, and the query's words marked in it. Both are painted by the browser's own highlights: nothing
// in the page changes, so that a text of a megabyte stays fluent.
(() => {
  const desk = document.querySelector("main.desk");
  const OFF = "adjudge query words"; // What the person chose is remembered; "off" is the only value.
  const SHORT = 30000; // Characters. A longer text is marked after it has been painted.
  const MOST_PAINTED = 4000;
  const MAP_LINES = 240;
  const LITTLE = new Set(
    "a an and are as at be by can do for from has have how i in is it my of on or that the this to was what when which who why will with you".split(" "),
  );
  const CJK = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmr}\p{scx=Mymr}]/u;
  const BLOCKS = "p, div, li, td, th, dt, dd, h1, h2, h3, h4, h5, h6, pre, blockquote, figure, figcaption, caption, section, article, body";
  let text; // Of the document in sight, made when it is first asked for.
  let hits = [];
  let at = -1;
  let sought; // The hit in sight, as a range.

  const pair = () => document.getElementById("pair");
  const frame = () => pair().querySelector(".as-page"); // Of a document that came as HTML.
  const windows = () => [window, frame()?.contentWindow].filter(Boolean);
  const tool = (name) => pair().querySelector(`.tools ${name}`);

  // Folding: case, accents, width and how a syllable is put together make no difference. Each folded character knows
  // where it came from.

  const JAMO = /[\u1100-\u11ff]/;
  const SYLLABLES = /[\u1100-\u115f][\u1160-\u11a7][\u11a8-\u11ff]?|[^]/gu;
  const folds = new Map();

  function foldOne(character) {
    if (!folds.has(character)) {
      const whole = character.normalize("NFC");
      const isHangul = whole >= "\uac00" && whole <= "\ud7a3";
      const plain = isHangul ? whole : character.normalize("NFKD").replace(/\p{M}/gu, "");
      folds.set(character, /^\s$/u.test(plain) ? " " : plain.toLowerCase().replace("ς", "σ"));
    }
    return folds.get(character);
  }

  function fold(raw) {
    if (/^[\x20-\x7e]*$/.test(raw)) return { folded: raw.toLowerCase(), from: (index) => index };
    const pieces = [];
    const origins = [];
    let index = 0;
    for (const character of JAMO.test(raw) ? raw.match(SYLLABLES) : raw) {
      const code = character.charCodeAt(0);
      const piece = code < 65 && code > 32 ? character : foldOne(character);
      pieces.push(piece);
      for (let nth = 0; nth < piece.length; nth++) origins.push(index);
      index += character.length;
    }
    origins.push(index);
    return { folded: pieces.join(""), from: (nth) => origins[nth] };
  }

  function read() {
    const nodes = [];
    const starts = [];
    let raw = "";
    let block;
    for (const element of [...pair().querySelectorAll("#document, .body p"), frame()?.contentDocument?.body]) {
      if (!element) continue;
      // A very long paragraph is laid out in parts that belong together.
      raw += element.classList.contains("on") ? "" : "\n";
      const walk = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      while (walk.nextNode()) {
        const within = walk.currentNode.parentElement.closest(BLOCKS);
        if (within !== block && within !== element) raw += "\n";
        block = within;
        nodes.push(walk.currentNode);
        starts.push(raw.length);
        raw += walk.currentNode.data;
      }
    }
    return { ...fold(raw), nodes, starts, length: raw.length };
  }

  const current = () => (text ??= read());

  function place(index, isEnd) {
    const { nodes, starts } = current();
    let low = 0;
    for (let high = starts.length; high - low > 1; ) {
      const middle = (low + high) >> 1;
      if (isEnd ? starts[middle] < index : starts[middle] <= index) low = middle;
      else high = middle;
    }
    return [nodes[low], Math.min(Math.max(index - starts[low], 0), nodes[low].data.length)];
  }

  function range([start, end], Kind) {
    const [first, from] = place(start, false);
    const [last, to] = place(end, true);
    const ends = { startContainer: first, startOffset: from, endContainer: last, endOffset: to };
    if (Kind) return new Kind(ends);
    const live = document.createRange();
    live.setStart(first, from);
    live.setEnd(last, to);
    return live;
  }

  function paint(name, spans) {
    if (!CSS.highlights) return;
    const ranges = spans.map((span) => range(span, StaticRange));
    for (const { CSS: styles, Highlight: Painted, document: page } of windows()) {
      const own = ranges.filter((each) => each.startContainer.ownerDocument === page);
      if (own.length) styles.highlights.set(name, new Painted(...own));
      else styles.highlights.delete(name);
    }
  }

  function spans(pattern) {
    const { folded, from } = current();
    const found = [];
    for (const match of folded.matchAll(pattern))
      found.push([from(match.index), from(match.index + match[0].length)]); // With the marks that follow the last one.
    return found;
  }

  // The query's words

  function words(query) {
    const parts = window.Intl?.Segmenter
      ? [...new Intl.Segmenter(undefined, { granularity: "word" }).segment(query)]
          .filter((each) => each.isWordLike)
          .map((each) => each.segment)
      : query.match(/[\p{L}\p{N}]+/gu) ?? [];
    const folded = [...new Set(parts.map((each) => fold(each).folded))];
    const telling = folded.filter((word) => !LITTLE.has(word) && (word.length > 1 || CJK.test(word)));
    return telling.length ? telling : folded;
  }

  // A word's own ending may differ, as in key and keys; scripts that part no words are found anywhere.
  const asPattern = (word) =>
    CJK.test(word) ? escaped(word) : `(?<![\\p{L}\\p{N}])${escaped(word)}\\p{L}{0,3}(?![\\p{L}\\p{N}])`;
  const escaped = (words) => words.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

  function markWords() {
    const button = tool("[data-key=h]");
    if (!button) return;
    const isOn = localStorage.getItem(OFF) !== "off";
    button.setAttribute("aria-pressed", isOn);
    const query = words(document.getElementById("query").textContent);
    const found = query.length ? spans(new RegExp(query.map(asPattern).join("|"), "gu")) : [];
    button.querySelector("b").textContent = found.length.toLocaleString("en");
    paint("word", isOn ? found.slice(0, MOST_PAINTED) : []);
  }

  // Finding

  function find() {
    clearTimeout(find.timer);
    find.timer = 0;
    const needle = fold(tool("input").value.trim()).folded;
    hits = needle ? spans(new RegExp(escaped(needle), "gu")) : [];
    at = hits.length ? 0 : -1;
    tool(".found").textContent = needle && !hits.length ? "not found" : "";
    paint("hit", hits.slice(0, MOST_PAINTED));
    drawMap();
    if (hits.length) go(0);
    else paint("current", []);
  }

  function go(step) {
    if (step && find.timer) find(); // What was typed last is sought before the next hit is.
    if (!hits.length) return;
    at = (at + step + hits.length) % hits.length;
    tool(".found").textContent = `${(at + 1).toLocaleString("en")} of ${hits.length.toLocaleString("en")}`;
    paint("current", [hits[at]]);
    const live = range(hits[at]);
    // Where the browser paints no highlights it selects, but not away from who types.
    if (!CSS.highlights && !document.activeElement.matches("input")) getSelection().setBaseAndExtent(live.startContainer, live.startOffset, live.endContainer, live.endOffset);
    sought = live;
    reveal(live);
  }

  const FRAMES = 12; // A long page in a frame is laid out around the hit over some of them.

  function reveal(live, times = FRAMES) {
    if (live !== sought) return;
    live.startContainer.parentElement.scrollIntoView({ block: "nearest" }); // What was not laid out yet is, from here on.
    const isFramed = live.startContainer.ownerDocument !== document;
    if (isFramed && times) requestAnimationFrame(() => reveal(live, times - 1));
    const moved = isFramed ? frame().getBoundingClientRect().top : 0;
    const [top, bottom] = ["top", "bottom"].map((edge) => live.getBoundingClientRect()[edge] + moved);
    const above = Math.max(pair().querySelector(".need").getBoundingClientRect().bottom, 0) + 24;
    const below = floor() - 24;
    if (top < above || bottom > below) window.scrollBy(0, top - (above + (below - above) / 3));
  }

  function floor() {
    const rail = desk.querySelector(".rail");
    return getComputedStyle(rail).position === "fixed" ? rail.getBoundingClientRect().top : innerHeight;
  }

  // The map of hits, beside a document that is longer than the window

  function drawMap() {
    const map = pair().querySelector(".map");
    const isLong = pair().querySelector(".doc").scrollHeight > 1.5 * innerHeight;
    const lines = isLong ? new Set(hits.map(([start]) => Math.round((MAP_LINES * start) / current().length))) : [];
    map.replaceChildren(...[...lines].map(line));
    map.toggleAttribute("data-drawn", hits.length > 0 && isLong);
  }

  function line(nth) {
    const drawn = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    for (const [name, value] of Object.entries({ x: 0, y: `${(99 * nth) / MAP_LINES}%`, width: "100%", height: 3 }))
      drawn.setAttribute(name, value);
    return drawn;
  }

  document.addEventListener("click", (event) => {
    const map = event.target.closest(".map");
    if (!map || !hits.length) return;
    const { top, height } = map.getBoundingClientRect();
    const where = ((event.clientY - top) / height) * current().length;
    const nearest = hits.reduce((best, [start], nth) => (Math.abs(start - where) < Math.abs(hits[best][0] - where) ? nth : best), 0);
    go(nearest - at);
  });

  // Buttons and keys

  function open() {
    tool(".find").hidden = false;
    tool("input").focus();
    tool("input").select();
  }

  function close() {
    tool(".find").hidden = true;
    tool("input").value = "";
    find();
    document.getElementById("document").focus({ preventScroll: true });
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest(".tools button");
    if (!button) return;
    const { key } = button.dataset;
    if (key === "/") open();
    else if (key === "n" || key === "p") go(key === "n" ? 1 : -1);
    else if (key === "h") {
      if (localStorage.getItem(OFF) === "off") localStorage.removeItem(OFF);
      else localStorage.setItem(OFF, "off");
      markWords();
    } else close();
  });

  document.addEventListener("input", (event) => {
    if (!event.target.matches(".tools input")) return;
    clearTimeout(find.timer);
    find.timer = setTimeout(find, current().length > SHORT ? 150 : 0);
  });

  document.addEventListener("keydown", (event) => {
    if (isComposing(event)) return;
    const isFinding = event.target.matches(".tools input");
    if (isFinding && event.key === "Enter") {
      event.preventDefault();
      go(event.shiftKey ? -1 : 1);
    } else if (event.key === "Escape" && !event.defaultPrevented && !isFinding && tool(".find:not([hidden])")) close();
  });

  // Each pair anew

  function renew() {
    text = undefined;
    hits = [];
    sought = undefined;
    windows().forEach((each) => each.CSS.highlights?.clear());
    const body = pair().querySelector(".body");
    if (!body) return;
    if ((frame()?.srcdoc ?? body.textContent).length <= SHORT) markWords();
    else requestAnimationFrame(() => setTimeout(() => pair().contains(body) && markWords()));
  }

  document.addEventListener("desk:changed", renew);
  document.addEventListener("desk:opened", () => {
    renew(); // The document's frame holds its page by now.
    if (tool("input")?.value) find();
  });
  renew();
})();
