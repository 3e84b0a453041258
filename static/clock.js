// Time: how long a pair takes without what is idle, how much is left at one's own pace, and a pause after fifty minutes.
const Clock = (() => {
  const IDLE = 60000; // ms. Whoever moves nothing for longer reads no more.
  const PAUSE = 5 * 60000;
  const WORK = 50 * 60000;
  const ENOUGH = 20; // Grades. From fewer no pace is told.
  const KEPT = 50;
  const desk = document.querySelector("main.desk");
  const rest = document.getElementById("rest");
  const times = (desk.dataset.times ?? "").split(" ").filter(Boolean).map(Number);
  let last = performance.now();
  let active = 0; // Of the pair in sight.
  let worked = 0; // Since the last pause.

  function move() {
    const gap = performance.now() - last;
    last += gap;
    if (gap > PAUSE) worked = 0;
    else worked += Math.min(gap, IDLE);
    active += Math.min(gap, IDLE);
    if (worked > WORK && rest.hidden) rest.hidden = false;
  }

  for (const name of ["keydown", "pointerdown", "pointermove", "wheel", "scroll", "touchmove"])
    window.addEventListener(name, move, { passive: true, capture: true });

  document.addEventListener("visibilitychange", () => {
    if (document.hidden) return move();
    if (performance.now() - last > PAUSE) worked = 0;
    last = performance.now(); // What went by elsewhere is nobody's time at the desk.
  });

  rest.querySelector("button").addEventListener("click", () => {
    rest.hidden = true;
    worked = 0;
  });

  function left() {
    const words = document.querySelector("#pair [data-left]");
    if (!words) return;
    const { roundGraded, roundPairs } = document.getElementById("pair").dataset;
    const middle = [...times].sort((one, other) => one - other)[times.length >> 1];
    words.textContent = times.length < ENOUGH ? "" : ` · about ${inWords(middle * (roundPairs - roundGraded))} left at your pace`;
  }

  function inWords(ms) {
    const minutes = ms / 60000;
    if (minutes < 1.5) return "a minute";
    if (minutes < 10) return `${Math.round(minutes)} minutes`;
    if (minutes < 90) return `${5 * Math.round(minutes / 5)} minutes`;
    return `${Math.round(minutes / 30) / 2} hours`;
  }

  document.addEventListener("desk:changed", () => {
    active = 0;
    last = performance.now();
    left();
  });
  left();

  return {
    // What the pair in sight took; it counts for the pace as well.
    take() {
      move();
      times.push(active);
      if (times.length > KEPT) times.shift();
      return active;
    },
  };
})();
