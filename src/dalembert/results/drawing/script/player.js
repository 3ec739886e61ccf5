// Plays a scene: time line, speed, keys; turning, moving and zooming of the view. Any number of players fit in a page.

const ICONS = {
  play: "M4 2.5v11l9.5-5.5z", pause: "M4 2.5h3v11H4zM9.5 2.5h3v11h-3z",
  loop: "M3 8a5 5 0 0 1 8.6-3.4L10 6h4.5V1.5L13 3.2A7 7 0 0 0 1 8zM13 8a5 5 0 0 1-8.6 3.4L6 10H1.5v4.5L3 12.8A7 7 0 0 0 15 8z",
  names: "M1.5 13 6 2.5h1.8L12.3 13h-2l-1.1-2.7H4.6L3.5 13zM5.3 8.7h3.2L6.9 4.8z",
  view: "M2 2h5v2H4v3H2zM9 2h5v5h-2V4H9zM2 9h2v3h3v2H2zM12 9h2v5H9v-2h3z",
  follow: "M8 1v3M8 12v3M1 8h3M12 8h3M8 5.5a2.5 2.5 0 1 0 .01 0z",
};
const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4, 10];

function decode(text, count) {  // numbers of 24 bits
  const bytes = atob(text), values = new Uint32Array(count);
  for (let k = 0; k < count; k++)
    values[k] = bytes.charCodeAt(3 * k) * 65536 + bytes.charCodeAt(3 * k + 1) * 256 + bytes.charCodeAt(3 * k + 2);
  return values;
}

class Track {  // the points of the world at every frame, and smoothly in between
  constructor({dimensions, frames, moving, low, step, motion, fixed}) {
    Object.assign(this, {d: dimensions, frames, moving});
    const numbers = decode(motion, frames * moving * dimensions);
    this.values = Float64Array.from(numbers, (x, k) => low[k % dimensions] + step[k % dimensions] * x);
    this.now = new Float64Array(moving * dimensions);
    this.fixed = fixed;
  }
  go(position) {  // by cubic curves through four frames
    const last = this.frames - 1, i = Math.min(Math.floor(position), Math.max(last - 1, 0)), a = last ? position - i : 0;
    const rows = [-1, 0, 1, 2].map(k => Math.max(0, Math.min(last, i + k)) * this.now.length);
    const w = [a * (a * (2 - a) - 1) / 2, (a * a * (3 * a - 5) + 2) / 2, a * (a * (4 - 3 * a) + 1) / 2, a * a * (a - 1) / 2];
    for (let k = 0; k < this.now.length; k++)
      this.now[k] = rows.reduce((sum, row, j) => sum + w[j] * this.values[row + k], 0);
  }
  place(k) { return k < this.moving ? [...this.now.subarray(k * this.d, (k + 1) * this.d)] : this.fixed[k - this.moving]; }
  at(k, frame) {
    if (k >= this.moving) return this.fixed[k - this.moving];
    const from = (frame * this.moving + k) * this.d;
    return [...this.values.subarray(from, from + this.d)];
  }
}

class Player {
  constructor(figure, data) {
    Object.assign(this, {figure, data, position: 0, playing: false, looping: true, following: data.follows, speed: data.speed, printing: false});
    this.track = new Track(data);
    this.canvas = figure.querySelector("canvas");
    const context = this.canvas.getContext("2d");
    const way = k => Array.from({length: data.frames}, (_, frame) => this.track.at(k, frame));
    data.traces = data.traces.map(([name, role, k]) => [name, role, way(k)]);
    data.way = way(data.centre);
    this.camera = new Camera(data);
    this.painter = new Painter(data, context, this.camera);
    this.dark = matchMedia("(prefers-color-scheme: dark)");
    this.controls();
    this.gestures();
    new ResizeObserver(() => this.resize()).observe(this.canvas);
    this.dark.addEventListener("change", () => this.show());
    addEventListener("beforeprint", () => this.print(true));
    addEventListener("afterprint", () => this.print(false));
    this.resize();
    if (figure.hasAttribute("data-autoplay") && !matchMedia("(prefers-reduced-motion: reduce)").matches) this.toggle();
  }

  // --- picture ---
  get theme() {
    const dark = this.data.dark === null ? this.dark.matches : this.data.dark;
    return dark && !this.printing ? "dark" : "light";
  }
  get view() { return this.data.views[this.following ? "along" : "whole"]; }
  resize() {
    const {width, height} = this.canvas.getBoundingClientRect(), ratio = (window.devicePixelRatio || 1) * (this.printing ? 2 : 1);
    if (!width || !height) return;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.canvas.getContext("2d").setTransform(ratio, 0, 0, ratio, 0, 0);
    this.camera.fit(this.view, width, height, [40, 40, 40, 30 + 17 * this.data.legend.length]);
    this.show();
  }
  show() {
    const {track, camera, data} = this, last = data.frames - 1;
    if (!camera.width) return;
    track.go(this.position);
    camera.go(this.following ? track.place(data.centre) : null);
    this.figure.dataset.theme = this.theme;
    this.painter.draw(k => track.place(k), this.position, data.palette[this.theme], last === 0 || this.printing);
    this.line.value = this.position;
    const time = data.begin + (last ? this.position / last : 0) * (data.end - data.begin);
    const digits = Math.max(0, Math.min(6, 2 - Math.floor(Math.log10(Math.max(data.end - data.begin, 1e-9) / 5))));
    this.clock.textContent = `t = ${time.toFixed(digits)}`;
    this.line.setAttribute("aria-valuetext", this.clock.textContent);
    this.figure.dispatchEvent(new CustomEvent("time", {detail: time}));  // for what goes along with it in a page
  }
  print(on) {
    this.printing = on;
    if (on) { this.before = [this.playing, this.position]; this.toggle(false); this.position = Math.round((this.data.frames - 1) / 2); }
    else { this.position = this.before[1]; if (this.before[0]) this.toggle(true); }
    this.resize();
  }

  // --- time ---
  toggle(on = !this.playing) {
    const last = this.data.frames - 1;
    this.playing = on && last > 0;
    this.button("play").innerHTML = icon(this.playing ? "pause" : "play");
    this.button("play").setAttribute("aria-label", this.playing ? "pause" : "play");
    if (!this.playing) return;
    if (this.position >= last) this.position = 0;
    let before = performance.now();
    const tick = now => {
      if (!this.playing) return;
      this.position += (now - before) / 1000 * this.speed * last / (this.data.end - this.data.begin);
      before = now;
      if (this.position > last) {
        this.position = this.looping ? this.position % last : last;
        if (!this.looping) { this.show(); this.toggle(false); return; }
      }
      this.show();
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }
  go(position) {
    this.toggle(false);
    this.position = Math.max(0, Math.min(this.data.frames - 1, position));
    this.show();
  }

  // --- controls ---
  button(name) { return this.figure.querySelector(`[data-do=${name}]`); }
  controls() {
    const bar = document.createElement("div"), last = this.data.frames - 1;
    bar.className = "dalembert-bar";
    const speeds = SPEEDS.map(x => `<option value="${x * this.data.speed}"${x === 1 ? " selected" : ""}>${plain(x * this.data.speed)} ×</option>`);
    const make = (name, title, pressed) => `<button type="button" data-do="${name}" title="${title}" aria-label="${title}"` +
      (pressed === undefined ? "" : ` aria-pressed="${pressed}"`) + `>${icon(name)}</button>`;
    bar.innerHTML = make("play", "play (space)") +
      `<input type="range" min="0" max="${last}" step="any" value="0" aria-label="time">` +
      `<output></output><select title="speed, against real time" aria-label="speed">${speeds.join("")}</select>` +
      make("loop", "repeat (l)", true) + (this.data.names.length ? make("names", "names of points (n)", true) : "") +
      make("follow", "follow what moves (f)", this.following) + make("view", "first view (0)");
    this.figure.querySelector(".dalembert-stage").after(bar);
    this.line = bar.querySelector("input");
    this.clock = bar.querySelector("output");
    this.line.addEventListener("input", () => this.go(Number(this.line.value)));
    bar.querySelector("select").addEventListener("change", event => { this.speed = Number(event.target.value); });
    bar.addEventListener("click", event => {
      const name = event.target.closest("button")?.dataset.do;
      if (name) this.act(name);
    });
    this.figure.addEventListener("keydown", event => this.key(event));
  }
  act(name) {
    const flip = (target, key) => {
      target[key] = !target[key];
      this.button(name)?.setAttribute("aria-pressed", target[key]);
    };
    if (name === "play") this.toggle();
    else if (name === "loop") flip(this, "looping");
    else if (name === "names") flip(this.painter, "names");
    else if (name === "follow") {
      flip(this, "following");
      this.camera.reset();
      this.resize();
    } else if (name === "view") {
      this.following = this.data.follows;
      this.button("follow").setAttribute("aria-pressed", this.following);
      this.camera.reset();
      this.painter.side = {};
      this.resize();
    }
    this.show();
  }
  key(event) {
    if (event.target.tagName === "SELECT" || event.ctrlKey || event.metaKey || event.altKey) return;
    const many = event.shiftKey ? 10 : 1, {width, height} = this.camera;
    const zoom = factor => { this.camera.zoomAt(factor, width / 2, height / 2); this.show(); };
    const actions = {
      " ": () => this.toggle(), ArrowRight: () => this.go(Math.round(this.position) + many),
      ArrowLeft: () => this.go(Math.round(this.position) - many), Home: () => this.go(0),
      End: () => this.go(this.data.frames - 1), l: () => this.act("loop"), n: () => this.act("names"),
      f: () => this.act("follow"), 0: () => this.act("view"), "+": () => zoom(1.25), "-": () => zoom(0.8),
    };
    if (!actions[event.key] || (event.key === " " && event.target.tagName === "BUTTON")) return;
    event.preventDefault();
    actions[event.key]();
  }
  gestures() {
    const {canvas, camera} = this, held = new Map();
    const spot = event => [event.offsetX, event.offsetY];
    const apart = () => { const [a, b] = [...held.values()]; return Math.hypot(a[0] - b[0], a[1] - b[1]); };
    canvas.addEventListener("pointerdown", event => {
      held.set(event.pointerId, spot(event));
      canvas.setPointerCapture(event.pointerId);
      canvas.focus({preventScroll: true});
    });
    canvas.addEventListener("pointermove", event => {
      const before = held.get(event.pointerId), now = spot(event);
      if (!before) return;
      const wide = held.size > 1 ? apart() : 0;
      held.set(event.pointerId, now);
      const [dx, dy] = [now[0] - before[0], now[1] - before[1]];
      if (held.size > 1) camera.zoomAt(apart() / (wide || 1), ...now);
      else if (camera.dims === 3 && !event.shiftKey && event.buttons !== 2) camera.turn(0.01 * dx, 0.01 * dy);
      else camera.pan = [camera.pan[0] + dx, camera.pan[1] + dy];
      this.show();
    });
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, event => held.delete(event.pointerId));
    canvas.addEventListener("contextmenu", event => event.preventDefault());
    canvas.addEventListener("dblclick", () => this.act("view"));
    canvas.addEventListener("wheel", event => {  // only where the reader has clicked: the page must go on scrolling
      if (!event.ctrlKey && document.activeElement !== canvas) return;
      event.preventDefault();
      camera.zoomAt(Math.exp(-0.0015 * event.deltaY), ...spot(event));
      this.show();
    }, {passive: false});
  }
}

const icon = name => `<svg viewBox="0 0 16 16" width="15" height="15" aria-hidden="true"><path d="${ICONS[name]}"/></svg>`;

for (const figure of document.querySelectorAll("figure.dalembert-animation:not([data-started])")) {
  figure.dataset.started = "";
  figure.player = new Player(figure, JSON.parse(figure.querySelector("script[type='application/json']").textContent));
}
