// Plots with one time for all: drag or turn the wheel to zoom, double-click for everything, point to read off.
(() => {
  "use strict";
  const LEFT = 66, RIGHT = 16, TOP = 14, BOTTOM = 24, HEIGHT = 226, ROW = 20;
  const GESTURE = 350; // ms without a turn of the wheel after which the next turn belongs to the plot under it
  const DASHED = "7 4", PAPER = 680; // width of a plot on paper

  const decode = (text, Type) => new Type(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
  const given = JSON.parse(document.getElementById("curves").textContent);
  const axes = given.axes.map((text) => decode(text, Float64Array));
  const whole = [Math.min(...axes.map((x) => x[0])), Math.max(...axes.map((x) => x[x.length - 1]))];
  let view = [...whole];
  let printing = false;
  const plots = [];

  const element = (name, attributes, parent) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return parent ? parent.appendChild(made) : made;
  };
  const superscript = (n) => String(n).replace(/./g, (c) => (c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[c]));
  const written = (value) => {
    if (!Number.isFinite(value)) return "not determined";
    let [mantissa, exponent] = String(Number(value.toPrecision(6))).split("e");
    if (!exponent && value !== 0 && Math.abs(value) < 1e-4) [mantissa, exponent] = value.toExponential(4).split("e");
    return mantissa.replace("-", "−") + (exponent ? `·10${superscript(Number(exponent))}` : "");
  };
  const nearest = (x, t) => {
    let low = 0, high = x.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (x[middle] > t) high = middle; else low = middle;
    }
    return t - x[low] < x[high] - t ? low : high;
  };
  const ticks = (from, to, most) => {
    const rough = (to - from) / most, power = 10 ** Math.floor(Math.log10(rough));
    const step = power * [1, 2, 5, 10].find((factor) => factor * power >= rough * 0.999);
    const values = [];
    for (let k = Math.ceil(from / step - 1e-9); k * step <= to + 1e-9 * step; k++) values.push(k * step);
    return { values, step };
  };
  const labels = ({ values, step }) => { // common factor 10ⁿ, and the numbers in front of it
    const largest = Math.max(...values.map(Math.abs), step);
    const power = largest >= 1e5 || largest < 1e-2 ? Math.floor(Math.log10(largest) + 1e-9) : 0;
    const digits = Math.min(12, Math.max(0, -Math.floor(Math.log10(step) - power + 1e-9)));
    return { power, texts: values.map((v) => (v / 10 ** power).toFixed(digits).replace(/^-(?=0(\.0*)?$)/, "").replace("-", "−")) };
  };

  class Plot {
    constructor(figure) {
      this.panel = given.panels[figure.dataset.panel];
      this.x = axes[this.panel.axis];
      this.log = this.panel.log;
      this.height = this.panel.strip ? TOP + ROW * this.panel.curves.length + BOTTOM : HEIGHT;
      this.curves = this.panel.curves.map(({ label, base, values }, k) => {
        const y = Float64Array.from(decode(values, Float32Array), (v) => v + base);
        return { label, y, colour: `var(--series${k % 8})`, dash: Math.floor(k / 4) % 2 ? DASHED : "none", shown: true };
      });
      const known = this.curves.flatMap(({ y }) => [...y].filter(Number.isFinite).map(Math.abs));
      this.least = this.log ? 0 : 1e-15 * known.reduce((a, b) => Math.max(a, b), 0); // less is rounding, and read as zero
      this.range = null; // of the values, where it was chosen by dragging
      this.now = figure.querySelector("figcaption").appendChild(document.createElement("span"));
      this.now.className = "now";
      figure.append(this.legend());
      const names = figure.querySelector("figcaption b").textContent;
      this.svg = element("svg", { role: "img", tabindex: 0, "aria-label": names }, figure);
      this.listen();
      new ResizeObserver(() => this.draw()).observe(this.svg);
    }

    legend() {
      const list = document.createElement("ul");
      list.className = "legend";
      for (const curve of this.curves) {
        const button = document.createElement("button");
        button.type = "button";
        button.setAttribute("aria-pressed", "true");
        const line = `<line x1="0" y1="4" x2="22" y2="4" stroke="${curve.colour}" stroke-width="2.5" stroke-dasharray="${curve.dash}"/>`;
        button.innerHTML = `<svg class="line" aria-hidden="true">${line}</svg><span>${curve.label}</span><output></output>`;
        button.addEventListener("click", () => {
          curve.shown = !curve.shown;
          button.setAttribute("aria-pressed", curve.shown);
          this.draw();
        });
        curve.output = button.querySelector("output");
        list.appendChild(document.createElement("li")).append(button);
      }
      return list;
    }

    // --- scales

    scale(value) { return this.log ? Math.log10(value) : value; }
    toX(t) { return LEFT + ((t - view[0]) / (view[1] - view[0])) * (this.width - LEFT - RIGHT); }
    toY(y) { return this.height - BOTTOM - ((this.scale(y) - this.low) / (this.high - this.low)) * (this.height - TOP - BOTTOM); }
    toTime(px) { return view[0] + ((px - LEFT) / (this.width - LEFT - RIGHT)) * (view[1] - view[0]); }
    toValue(py) { return this.low + ((this.height - BOTTOM - py) / (this.height - TOP - BOTTOM)) * (this.high - this.low); }

    fit() { // the values that can be seen, with some room
      const [first, last] = this.visible();
      let low = Infinity, high = -Infinity;
      for (const { y, shown } of this.curves) {
        for (let i = first; shown && i <= last; i++) {
          const value = this.scale(y[i]);
          if (Number.isFinite(value)) { low = Math.min(low, value); high = Math.max(high, value); }
        }
      }
      if (low > high) [low, high] = [0, 1];
      const least = this.log ? 1 : 1e-9 * Math.max(Math.abs(low), Math.abs(high)) || 1;
      if (high - low < least) {
        const half = this.log ? 0.5 : 0.1 * Math.max(Math.abs(low), Math.abs(high)) || 1;
        [low, high] = [(low + high) / 2 - half, (low + high) / 2 + half];
      }
      const room = 0.06 * (high - low);
      return [low - room, high + room];
    }

    visible() { // the first and the last sample to be drawn: one beyond each end
      const last = this.x.length - 1;
      return [Math.max(0, nearest(this.x, view[0]) - 1), Math.min(last, nearest(this.x, view[1]) + 1)];
    }

    // --- drawing

    draw() {
      this.width = printing ? PAPER : this.svg.clientWidth;
      if (!this.width) return; // in a fold that is closed
      [this.low, this.high] = this.range || this.fit();
      this.svg.replaceChildren();
      this.svg.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
      this.svg.dataset.view = view.join(" ");
      this.frame();
      const id = `clip${this.panel.axis}-${plots.indexOf(this)}`;
      const clip = element("clipPath", { id }, element("defs", {}, this.svg));
      const box = { x: LEFT, y: TOP - 4, width: this.width - LEFT - RIGHT, height: this.height - TOP - BOTTOM + 8 };
      element("rect", box, clip);
      const group = element("g", { "clip-path": `url(#${id})` }, this.svg);
      for (const [row, curve] of this.panel.strip ? this.curves.entries() : []) this.strip(curve, row, group);
      for (const curve of this.panel.strip ? [] : this.curves) {
        if (!curve.shown) continue;
        const style = `stroke:${curve.colour}`;
        element("path", { class: "curve", d: this.path(curve.y), style, "stroke-dasharray": curve.dash }, group);
      }
      this.marks = element("g", {}, this.svg);
    }

    strip({ y, colour, shown }, row, group) { // grey, and in its colour where it is 1
      const [first, last] = this.visible(), box = { y: TOP + row * ROW + 2, height: ROW - 4 };
      element("rect", { class: "strip", x: LEFT, width: this.width - LEFT - RIGHT, ...box }, group);
      for (let i = first; shown && i < last; i++) {
        if (!(y[i] > 0.5)) continue;
        const x = this.toX(this.x[i]);
        while (i < last && y[i] > 0.5) i++;
        element("rect", { x, width: Math.max(this.toX(this.x[i]) - x, 1), style: `fill:${colour}`, ...box }, group);
      }
    }

    path(y) {
      const [first, last] = this.visible();
      let path = "", pen = "M";
      for (let i = first; i <= last; i++) {
        if (Number.isFinite(y[i])) {
          path += `${pen}${this.toX(this.x[i]).toFixed(2)} ${this.toY(y[i]).toFixed(2)}`;
          pen = "L";
        } else pen = "M";
      }
      return path;
    }

    frame() {
      const bottom = this.height - BOTTOM, right = this.width - RIGHT;
      const text = (x, y, content, anchor) => { element("text", { x, y, "text-anchor": anchor }, this.svg).textContent = content; };
      const across = this.panel.strip ? { values: [], step: 1 } : this.log ? this.decades() : ticks(this.low, this.high, 5);
      const { power, texts } = this.log ? { power: 0, texts: across.values.map((e) => `10${superscript(e)}`) } : labels(across);
      across.values.forEach((value, k) => {
        const y = bottom - ((value - this.low) / (this.high - this.low)) * (bottom - TOP);
        element("line", { class: value === 0 && !this.log ? "zero" : "grid-line", x1: LEFT, x2: right, y1: y, y2: y }, this.svg);
        text(LEFT - 8, y + 4, texts[k], "end");
      });
      if (power) text(LEFT - 8, TOP - 4, `×10${superscript(power)}`, "end");
      const times = ticks(view[0], view[1], Math.max(2, Math.floor((right - LEFT) / 90)));
      const named = labels(times);
      times.values.forEach((t, k) => {
        const x = this.toX(t);
        element("line", { class: "grid-line", x1: x, x2: x, y1: TOP, y2: bottom }, this.svg);
        text(x, bottom + 17, named.texts[k], "middle");
      });
      const unit = [named.power ? `×10${superscript(named.power)}` : "", this.panel.xunit].filter(Boolean).join(" ");
      text(2, bottom + 17, unit ? `t in ${unit}` : "t", "start");
    }

    decades() {
      const step = Math.max(1, Math.ceil((this.high - this.low) / 6)), values = [];
      for (let e = Math.ceil(this.low); e <= this.high; e++) if (e % step === 0) values.push(e);
      return { values, step };
    }

    // --- reading off

    point(t) { // show the values at a time, or none
      if (!this.marks) return;
      this.marks.replaceChildren();
      const i = t === null ? -1 : nearest(this.x, t), at = this.x[i];
      const there = i >= 0 && at >= view[0] && at <= view[1];
      this.now.textContent = there ? `t = ${written(at)}${this.panel.xunit && ` ${this.panel.xunit}`}` : "";
      if (there) element("line", { class: "cursor", x1: this.toX(at), x2: this.toX(at), y1: TOP, y2: this.height - BOTTOM }, this.marks);
      for (const { y, output, shown, colour } of this.curves) {
        output.textContent = there && shown ? this.read(y[i]) : "";
        if (this.panel.strip) continue;
        const height = there && shown ? this.toY(y[i]) : NaN;
        if (height >= TOP - 1 && height <= this.height - BOTTOM + 1)
          element("circle", { cx: this.toX(at), cy: height, r: 4, style: `fill:${colour}` }, this.marks);
      }
    }

    read(value) {
      if (this.panel.strip) return this.panel.strip[value > 0.5 ? 0 : 1];
      return written(Math.abs(value) < this.least ? 0 : value);
    }

    // --- what the reader does

    listen() {
      const place = (event) => {
        const box = this.svg.getBoundingClientRect(), factor = this.width / box.width;
        const x = Math.min(Math.max((event.clientX - box.left) * factor, LEFT), this.width - RIGHT);
        return [x, Math.min(Math.max((event.clientY - box.top) * factor, TOP), this.height - BOTTOM)];
      };
      let start = null, chosen = null;
      const end = () => { start = chosen = null; this.svg.querySelector(".chosen")?.remove(); };
      this.svg.addEventListener("pointerdown", (event) => {
        if (event.button) return;
        start = place(event);
        this.svg.setPointerCapture(event.pointerId);
      });
      this.svg.addEventListener("pointermove", (event) => {
        const here = place(event);
        if (!start) return pointAll(this.toTime(here[0]));
        chosen = this.chosen(start, here);
        this.svg.querySelector(".chosen")?.remove();
        if (chosen) element("rect", { class: "chosen", ...chosen }, this.svg);
      });
      this.svg.addEventListener("pointerup", (event) => {
        if (chosen) this.zoomTo(chosen);
        else if (start) goThere(this.toTime(place(event)[0]));
        end();
      });
      this.svg.addEventListener("pointercancel", end);
      this.svg.addEventListener("pointerenter", () => { reading = true; });
      this.svg.addEventListener("pointerleave", () => { if (!start) { reading = false; pointAll(null); } });
      this.svg.addEventListener("dblclick", reset);
      this.svg.addEventListener("wheel", (event) => {
        if (wheeledElsewhere(event)) return;
        event.preventDefault();
        const t = this.toTime(place(event)[0]), across = event.deltaX || (event.shiftKey ? event.deltaY : 0);
        if (across) pan(across / 800); else zoom(t, Math.exp(Math.max(-1, Math.min(1, event.deltaY * 0.002))));
        pointAll(t);
      }, { passive: false });
      this.svg.addEventListener("keydown", (event) => {
        const middle = (view[0] + view[1]) / 2;
        const action = { ArrowLeft: () => pan(-0.1), ArrowRight: () => pan(0.1), "+": () => zoom(middle, 0.7),
          "-": () => zoom(middle, 1 / 0.7), Escape: reset, 0: reset }[event.key];
        if (action) { event.preventDefault(); action(); }
      });
    }

    chosen(a, b) { // the rectangle between two places: over all values if it is flat, over all times if it is thin
      const wide = Math.abs(a[0] - b[0]), high = Math.abs(a[1] - b[1]);
      if (wide < 6 && high < 6) return null;
      const flat = high < 20 || Boolean(this.panel.strip), thin = wide < 12 && !flat;
      return {
        x: thin ? LEFT : Math.min(a[0], b[0]), width: thin ? this.width - LEFT - RIGHT : wide,
        y: flat ? TOP : Math.min(a[1], b[1]), height: flat ? this.height - TOP - BOTTOM : high,
      };
    }

    zoomTo({ x, y, width, height }) {
      if (height < this.height - TOP - BOTTOM) this.range = [this.toValue(y + height), this.toValue(y)];
      look(this.toTime(x), this.toTime(x + width));
    }
  }

  // --- one time for all plots

  const drawAll = () => plots.forEach((plot) => plot.draw());
  const pointAll = (t) => plots.forEach((plot) => plot.point(t));
  let reading = false; // whether the pointer is on a plot
  const animations = [...document.querySelectorAll("figure.dalembert-animation")].filter((figure) => figure.player);
  for (const figure of animations) figure.addEventListener("time", (event) => {
    if (!reading) pointAll(figure.player.playing || figure.player.position ? event.detail : null);
  });
  const goThere = (t) => animations.forEach(({ player }) => {
    const { begin, end, frames } = player.data;
    player.go(((t - begin) / (end - begin || 1)) * (frames - 1));
  });
  const look = (from, to) => {
    const least = 1e-9 * (whole[1] - whole[0]);
    from = Math.max(whole[0], from);
    to = Math.min(whole[1], to);
    if (to - from > least) view = [from, to];
    drawAll();
  };
  const zoom = (t, factor) => look(t - (t - view[0]) * factor, t + (view[1] - t) * factor);
  const pan = (part) => {
    const width = view[1] - view[0];
    const by = Math.max(whole[0] - view[0], Math.min(whole[1] - view[1], part * width));
    look(view[0] + by, view[1] + by);
  };
  const reset = () => { plots.forEach((plot) => { plot.range = null; }); look(...whole); };

  // A reader who scrolls the page over a plot goes on scrolling; the wheel zooms where it begins to turn over a plot.
  let turned = -Infinity, began = null;
  const wheeledElsewhere = (event) => began !== event.currentTarget;
  addEventListener("wheel", (event) => {
    if (event.timeStamp - turned > GESTURE) began = event.target.closest?.(".plot > svg") ?? null;
    turned = event.timeStamp;
  }, { capture: true, passive: true });

  const folds = document.querySelectorAll("details[data-print]");
  const print = (on) => {
    printing = on;
    for (const fold of folds) fold.open = on;
    pointAll(null);
    drawAll();
  };
  addEventListener("beforeprint", () => print(true));
  addEventListener("afterprint", () => print(false));

  if (whole[1] === whole[0]) whole[1] = view[1] = whole[0] + 1;
  for (const figure of document.querySelectorAll("figure.plot")) plots.push(new Plot(figure));
  drawAll();
})();
