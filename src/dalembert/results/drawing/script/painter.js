// Draws one frame of a scene on a canvas: the same marks and symbols as painter.py, which says why there are two. Pixels count downwards here.

const TAU = 2 * Math.PI, BAR = 7, ROUNDED = 56, FAR = 6, LETTER_HEIGHT = 13;
const SIDES = [[1, -1], [1, 1], [-1, -1], [-1, 1], [1, 0], [-1, 0], [0, -1], [0, 1]];
const PLACES = SIDES.flatMap(side => [1, 4.5].map(reach => [...side, reach]));  // beside a pin, and beside a block

const mix = (colour, paper, part) => "#" + [1, 3, 5].map(k => Math.round(
  part * parseInt(colour.slice(k, k + 2), 16) + (1 - part) * parseInt(paper.slice(k, k + 2), 16),
).toString(16).padStart(2, "0")).join("");

const nice = value => {  // 1, 2 or 5 times a power of ten, not above a value
  const power = 10 ** Math.floor(Math.log10(value));
  return power * (5 * power <= value ? 5 : 2 * power <= value ? 2 : 1);
};
const plain = value => String(Number(value.toPrecision(6)));
const label = (k, step) => {  // of the line k of a grid; as many digits as tell it from its neighbours
  const digits = -Math.floor(Math.log10(step) + 1e-9), power = digits > 4 && k ? 3 * Math.round(digits / 3) : 0;
  return Number((k * step * 10 ** power).toFixed(Math.max(0, digits - power))) + (power ? `e-${power}` : "");
};
const add = (a, b, factor = 1) => a.map((x, i) => x + factor * b[i]);
const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const sideways = up => [Math.abs(up[2]), Math.abs(up[0]), Math.abs(up[1])];

function hull(points) {
  const ordered = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]), sides = [];
  for (const run of [ordered, [...ordered].reverse()]) {
    const side = [];
    for (const p of run) {
      while (side.length > 1) {
        const [a, b] = side.slice(-2);
        if ((b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > 0) break;
        side.pop();
      }
      side.push(p);
    }
    sides.push(...side.slice(0, -1));
  }
  return sides.length ? sides : ordered.slice(0, 1);
}

class Camera {  // from the world to the screen: the plane as it is, space in perspective
  constructor(data) {
    Object.assign(this, {data, dims: data.dimensions, origin: Array(data.dimensions).fill(0)});
    this.reset();
  }
  reset() {
    Object.assign(this, {azimuth: this.data.azimuth, elevation: this.data.elevation, zoom: 1, pan: [0, 0]});
    this.turn(0, 0);
  }
  go(centre) {  // lengths of a view that goes along are counted from the centre of what moves
    this.centre = centre || this.origin;
    this.middle = add(this.view.middle, this.centre);
  }
  turn(right, up) {
    this.azimuth -= right;
    this.elevation = Math.max(-1.55, Math.min(1.55, this.elevation + up));
    if (this.dims === 2) return;
    const upward = this.data.up, first = sideways(upward), second = cross(upward, first);
    const level = add(first.map(x => x * Math.cos(this.azimuth)), second, Math.sin(this.azimuth));
    const sidewise = cross(upward, level);
    const toward = add(level.map(x => x * Math.cos(this.elevation)), upward, Math.sin(this.elevation));
    this.basis = [sidewise, cross(toward, sidewise), toward];
  }
  fit(view, width, height, margins) {  // all that it must hold, as seen at first
    const {azimuth, elevation, zoom, pan} = this;
    Object.assign(this, {azimuth: this.data.azimuth, elevation: this.data.elevation, zoom: 1, pan: [0, 0]});
    this.turn(0, 0);
    Object.assign(this, {view, width, height, scale: 1, shift: [0, 0]});
    this.go(null);
    let low = [Infinity, Infinity], high = [-Infinity, -Infinity];
    for (const place of view.points) {
      const seen = this.seen(place);
      low = low.map((x, i) => Math.min(x, seen[i]));
      high = high.map((x, i) => Math.max(x, seen[i]));
    }
    const [left, right, bottom, top] = margins, room = [width - left - right, height - bottom - top];
    const most = Math.max(high[0] - low[0], high[1] - low[1]) || view.size;
    this.scale = Math.min(...room.map((x, i) => x / Math.max(high[i] - low[i], this.data.thin * most)));
    this.shift = [left - width / 2 + room[0] / 2, bottom - height / 2 + room[1] / 2]
      .map((x, i) => x - this.scale * (low[i] + high[i]) / 2);
    Object.assign(this, {azimuth, elevation, zoom, pan});
    this.turn(0, 0);
  }
  seen(place) {  // right and up of the middle, and towards the eye, in lengths
    const rest = add(place, this.middle, -1), {radius} = this.view;
    if (this.dims === 2) return [rest[0], rest[1], 0];
    const [x, y, depth] = this.basis.map(axis => dot(axis, rest));
    const near = FAR * radius / Math.max(FAR * radius - depth, 0.1 * radius);
    return [x * near, y * near, depth];
  }
  project(place) {
    const [x, y, depth] = this.seen(place), {zoom, scale, shift, pan} = this;
    return [this.width / 2 + pan[0] + zoom * (scale * x + shift[0]),
            this.height / 2 + pan[1] - zoom * (scale * y + shift[1]), depth];
  }
  zoomAt(factor, x, y) {
    const next = Math.max(0.1, Math.min(60, this.zoom * factor)), real = next / this.zoom;
    this.pan = [x - this.width / 2 - real * (x - this.width / 2 - this.pan[0]),
                y - this.height / 2 - real * (y - this.height / 2 - this.pan[1])];
    this.zoom = next;
  }
}

class Painter {
  constructor(data, context, camera) {
    Object.assign(this, {data, context, camera, side: {}, names: data.names.length > 0});
  }
  draw(place, position, colours, whole) {  // place(k): point k of the world at this frame
    Object.assign(this, {place, colours, boxes: [], drawn: []});
    const {data, context, camera} = this;
    this.k = Math.max(0.3, Math.min(1.15 * Math.sqrt(camera.zoom), data.span * camera.scale * camera.zoom / 42));
    context.lineJoin = "round";
    const [right, below] = [camera.width + 1, camera.height + 1];  // also the part of a pixel that is left at the edge
    this.path([[0, 0], [right, 0], [right, below], [0, below]], {fill: colours.paper, closed: true});
    data.dimensions === 2 ? this.grid() : this.floor();
    if (camera.centre !== camera.origin)  // by its way it can be seen to move
      this.path(this.seen(data.way), {stroke: colours.faint, dashed: true});
    for (const [, role, curve] of data.traces) this.trace(curve, colours[role], position, whole);
    for (const mark of this.ordered()) this[mark.kind === "line" ? "stroke" : mark.kind](mark.at, mark.options, colours[mark.colour], mark);
    if (this.names) for (const [text, at] of data.names) this.name(text, camera.project(place(at)));
    this.legend();
  }
  ordered() {
    const marks = this.data.marks.map(mark => ({...mark, at: mark.points.map(this.place)}));
    if (this.data.dimensions === 2) return marks;
    for (const mark of marks) {
      const depth = mark.at.reduce((sum, p) => sum + this.camera.seen(p)[2], 0) / mark.at.length;
      const first = mark.layer === 0 && mark.kind === "plate" ? -1e9 : mark.layer === 8 ? 1e9 : 0;
      mark.depth = (first + 0.012 * mark.layer) * this.camera.view.size + depth;
    }
    return marks.sort((a, b) => a.depth - b.depth);
  }

  // --- paths and text ---
  path(points, {stroke, fill, width = 1, closed = false, dashed = false, opacity = 1}) {
    const c = this.context;
    c.beginPath();
    points.forEach(([x, y], i) => i ? c.lineTo(x, y) : c.moveTo(x, y));
    if (closed) c.closePath();
    c.globalAlpha = opacity;
    if (fill) { c.fillStyle = fill; c.fill(); }
    if (stroke) {
      Object.assign(c, {strokeStyle: stroke, lineWidth: width, lineCap: width > 2 ? "round" : "butt"});
      c.setLineDash(dashed ? [5, 4] : []);
      c.stroke();
    }
    c.globalAlpha = 1;
  }
  line(points, stroke, width, options = {}) {
    this.avoid(points, options.closed);
    this.path(points, {stroke, width: width * this.k, ...options});
  }
  text(x, y, text, colour, size = 10, align = "left", halo = null) {
    const c = this.context;
    Object.assign(c, {font: `${size}px system-ui, sans-serif`, textAlign: align, textBaseline: "middle"});
    if (halo) { Object.assign(c, {strokeStyle: halo, lineWidth: 3}); c.setLineDash([]); c.strokeText(text, x, y); }
    c.fillStyle = colour;
    c.fillText(text, x, y);
  }
  tint(colour, part = 0.22) { return mix(colour, this.colours.paper, part); }
  seen(points) { return points.map(p => this.camera.project(p)); }
  round(points, count) {
    const [centre, u, v] = points, found = [];
    for (let k = 0; k < count; k++) {
      const a = TAU * k / count;
      found.push(centre.map((c, i) => c + Math.cos(a) * (u[i] - c) + Math.sin(a) * (v[i] - c)));
    }
    return found;
  }

  // --- marks ---
  bar(points, options, colour) {
    const path = this.seen(points);
    this.line(path, colour, BAR);
    this.path(path, {stroke: this.tint(colour, 0.45), width: (BAR - 3.2) * this.k});
  }
  stroke(points, options, colour) {
    const path = this.seen(points);
    options.head ? this.arrow(path, options, colour) : this.line(path, colour, options.width || 1.5, {dashed: options.dashed});
  }
  arrow(path, options, colour) {
    const [a, b] = path.slice(-2), length = Math.hypot(b[0] - a[0], b[1] - a[1]);
    const total = Math.hypot(b[0] - path[0][0], b[1] - path[0][1]);
    if (total < 1.5 || length === 0) return;
    const along = [(b[0] - a[0]) / length, (b[1] - a[1]) / length], size = Math.min(9, 0.7 * Math.max(total, length));
    const back = [b[0] - size * along[0], b[1] - size * along[1]], wide = 0.42 * size;
    this.path([...path.slice(0, -1), back], {stroke: colour, width: options.width});
    this.path([b, [back[0] - wide * along[1], back[1] + wide * along[0]],
               [back[0] + wide * along[1], back[1] - wide * along[0]]], {stroke: colour, fill: colour, closed: true});
  }
  plate(points, options, colour, mark) {
    let path = this.seen(points);
    if (options.hull) path = hull(path);
    if (mark.layer === 0) {
      this.path(path, {stroke: colour, fill: colour, closed: true, opacity: 0.12});
      return;
    }
    this.path(path, {fill: colour, closed: true, opacity: 0.2});
    this.line(path, colour, 3.4, {closed: true});
  }
  disk(points, options, colour) {
    const circle = this.seen(this.round(points, ROUNDED));
    if (options.thin) { this.path(circle, {stroke: colour, closed: true}); return; }
    if (options.open) { this.line(circle, colour, 3, {closed: true}); return; }
    const path = options.teeth ? this.seen(this.toothed(points, options.teeth, options.phase || 0)) : circle;
    if (options.ring) {
      const larger = points.map(p => add(p, add(p, points[0], -1), 0.14));
      this.line(this.seen(this.round(larger, ROUNDED)), colour, 1.8, {closed: true});
    } else this.path(path, {fill: colour, closed: true, opacity: 0.16});
    this.line(path, colour, 2, {closed: true});
    if (options.spokes) this.round(points, options.spokes).forEach((end, k) =>
      this.path(this.seen([points[0], end]), {stroke: colour, width: (k ? 1.2 : 2.6) * this.k}));
  }
  toothed([centre, u, v], teeth, phase) {
    const height = Math.min(0.25, 1.9 / teeth), found = [];
    for (let k = 0; k < teeth; k++) for (const [angle, level] of [[-.36, -1], [-.16, .9], [.16, .9], [.36, -1]]) {
      const a = (k + angle + phase) * TAU / teeth, reach = 1 + height * level;
      found.push(centre.map((c, i) => c + reach * (Math.cos(a) * (u[i] - c) + Math.sin(a) * (v[i] - c))));
    }
    return found;
  }
  sphere([centre, rim], options, colour) {
    const radius = Math.hypot(...add(rim, centre, -1)), [right, up] = this.camera.basis;
    const path = this.seen(this.round([centre, add(centre, right, radius), add(centre, up, radius)], ROUNDED));
    this.path(path, {fill: colour, closed: true, opacity: 0.2});
    this.line(path, colour, 2, {closed: true});
  }
  cylinder(points, options, colour) {
    const [p, q] = this.seen(points), axis = add(points[1], points[0], -1);
    const ahead = Math.abs(dot(this.camera.basis[2], axis)) / (Math.hypot(...axis) || 1);
    const [near, far] = q[2] >= p[2] ? [q, p] : [p, q];
    const length = Math.hypot(near[0] - far[0], near[1] - far[1]), radius = options.radius * this.k;
    const along = length > 1e-9 ? [(near[0] - far[0]) / length, (near[1] - far[1]) / length] : [1, 0];
    const cap = end => Array.from({length: 24}, (_, k) => {
      const c = Math.cos(TAU * k / 24) * radius * ahead, s = Math.sin(TAU * k / 24) * radius;
      return [end[0] + c * along[0] - s * along[1], end[1] + c * along[1] + s * along[0]];
    });
    this.line(hull([...cap(far), ...cap(near)]), this.colours.ink, 1.2, {fill: this.tint(colour, 0.75), closed: true});
    this.path(cap(near), {stroke: this.colours.ink, fill: this.tint(colour, 0.3), width: 1.2 * this.k, closed: true});
  }
  hatch(points, options, colour) {
    const path = this.seen(points);
    for (let i = 1; i < path.length; i++) {
      let [a, b] = [path[i - 1], path[i]];
      const way = [b[0] - a[0], b[1] - a[1]], length = Math.hypot(...way);
      if (length < 1e-9) continue;
      const along = way.map(x => x / length), right = [-along[1], along[0]];
      if (this.data.dimensions === 3) { this.line([a, b], colour, 2.2); continue; }
      if (options.teeth) {
        const height = options.height * this.camera.scale * this.camera.zoom / 2, rack = [];
        for (let k = 0; k < options.teeth; k++) for (const [part, level] of [[.14, -1], [.34, 1], [.66, 1], [.86, -1]])
          rack.push([0, 1].map(j => a[j] + (k + part) / options.teeth * way[j] + level * height * right[j]));
        this.line(rack, colour, 2);
        continue;
      }
      a = [0, 1].map(j => a[j] + right[j] * (options.offset || 0) * this.k);
      this.line([a, [a[0] + way[0], a[1] + way[1]]], colour, 1.6);
      const step = 7 * this.k, {width, height} = this.camera, reach = width + height;
      const middle = (width / 2 - a[0]) * along[0] + (height / 2 - a[1]) * along[1], last = Math.min(length, middle + reach);
      for (let x = Math.max(step, Math.floor((middle - reach) / step) * step); x <= last; x += step) {  // in the picture
        const start = [a[0] + x * along[0], a[1] + x * along[1]];
        this.path([start, [0, 1].map(j => start[j] + 0.85 * step * (right[j] - along[j]))], {stroke: colour, width: this.k});
      }
    }
  }
  symbol(points, options, colour) {
    const path = this.seen(points), a = path[0], b = path[path.length - 1];
    const way = [b[0] - a[0], b[1] - a[1]], length = Math.hypot(...way);
    const along = length > 1e-9 ? way.map(x => x / length) : [1, 0], across = [along[1], -along[0]];
    const role = name => name && (name === "own" ? colour : this.colours[name]);
    for (const [strokes, stroke, fill, width, closed] of this.data.symbols[options.name]) {
      const place = strokes.map(([u, x, y]) =>
        [0, 1].map(j => a[j] + u * way[j] + this.k * (x * along[j] + y * across[j])));
      const inside = fill && (fill.endsWith("~") ? this.tint(role(fill.slice(0, -1)), 0.25) : role(fill));
      this.line(place, role(stroke), width, {fill: inside, closed: !!closed});
    }
  }

  // --- what is beside the marks ---
  grid() {
    const {camera, colours} = this, scale = camera.scale * camera.zoom, step = nice(100 / scale);
    const [x0, y0] = camera.project([0, 0]), {width, height} = camera;
    for (let k = Math.ceil(-x0 / scale / step); x0 + k * step * scale < width; k++) {
      const x = x0 + k * step * scale;
      this.path([[x, 0], [x, height]], {stroke: colours.grid});
      if (x > 24 && x < width - 24) this.text(x + 3, height - 7, label(k, step), colours.faint, 9.5);
    }
    for (let k = Math.ceil((y0 - height) / scale / step); y0 - k * step * scale > 0; k++) {
      const y = y0 - k * step * scale;
      this.path([[0, y], [width, y]], {stroke: colours.grid});
      if (y > 24 && y < height - 24) this.text(4, y - 7, label(k, step), colours.faint, 9.5);
    }
  }
  floor() {
    const {data, camera, colours} = this, {up, height} = data, {step, ranges} = camera.view.floor;
    const first = sideways(up), second = cross(up, first);
    const point = (a, b) => camera.project(up.map((u, i) => u * height + a * first[i] + b * second[i]));
    const [[a, b], [c, d]] = [first, second].map((axis, i) => {
      const at = dot(camera.centre, axis);
      return [Math.floor((ranges[i][0] + at) / step) * step, Math.ceil((ranges[i][1] + at) / step) * step];
    });
    for (let x = a; x < b + step / 2; x += step) this.path([point(x, c), point(x, d)], {stroke: colours.grid});
    for (let y = c; y < d + step / 2; y += step) this.path([point(a, y), point(b, y)], {stroke: colours.grid});
    const origin = [40, camera.height - 44];
    [0, 1, 2].map(k => [camera.basis.map(axis => axis[k]), "xyz"[k]]).sort((p, q) => p[0][2] - q[0][2])
      .forEach(([axis, letter]) => {
        const end = [origin[0] + 26 * axis[0], origin[1] - 26 * axis[1]], long = Math.hypot(axis[0], axis[1]) || 1;
        this.path([origin, end], {stroke: colours.faint, width: 1.4});
        this.text(end[0] + 8 * axis[0] / long, end[1] - 8 * axis[1] / long, letter, colours.faint, 11, "center");
      });
    this.text(8, camera.height - 8, `grid ${plain(step)}`, colours.faint, 9.5);
  }
  trace(curve, colour, position, whole) {
    const path = this.seen(curve), count = Math.floor(position) + 1;
    this.path(path, {stroke: colour, width: 1.2, opacity: 0.35});
    this.path(path.slice(0, whole ? path.length : count), {stroke: colour, width: 1.8});
  }
  avoid(path, closed) {
    if (!this.names || !this.data.names.length) return;
    const count = closed ? path.length : path.length - 1;
    for (let i = 0; i < count; i++) {
      const a = path[i], b = path[(i + 1) % path.length], steps = Math.min(100, Math.hypot(b[0] - a[0], b[1] - a[1]) / 4);
      for (let k = 0; k <= steps; k++) this.drawn.push([a[0] + (b[0] - a[0]) * k / (steps || 1), a[1] + (b[1] - a[1]) * k / (steps || 1)]);
    }
  }
  name(text, point) {  // beside its point, on no other name, where little is drawn; it stays on its side if it can
    const {camera} = this;
    this.context.font = "12px system-ui, sans-serif";
    const wide = this.context.measureText(text).width + 2;
    let best = null, cost = Infinity;
    PLACES.forEach(([right, down, reach], k) => {
      const away = 5 + 4 * this.k * reach;
      const x = point[0] + away * right * (down ? 0.75 : 1), y = point[1] + (away + 3) * down * (right ? 0.8 : 1);
      const left = x - wide * (1 - right) / 2;
      const box = [left, y - LETTER_HEIGHT / 2, left + wide, y + LETTER_HEIGHT / 2];
      if (box[0] < 2 || box[1] < 2 || box[2] > camera.width - 2 || box[3] > camera.height - 2) return;
      if (this.boxes.some(o => box[0] < o[2] && o[0] < box[2] && box[1] < o[3] && o[1] < box[3])) return;
      const inside = this.drawn.filter(p => p[0] > box[0] - 2 && p[0] < box[2] + 2 && p[1] > box[1] - 1 && p[1] < box[3] + 1).length;
      const here = inside + 0.05 * k + (reach > 1 ? 2.5 : 0) - (this.side[text] === k ? 2.5 : 0);
      if (here < cost) { best = {k, x, y, box, right}; cost = here; }
    });
    if (!best) return;
    this.side[text] = best.k;
    this.boxes.push(best.box);
    const align = ["right", "center", "left"][best.right + 1];
    this.text(best.x, best.y, text, this.colours.ink, 12, align, this.colours.paper);
  }
  legend() {
    let y = 14;
    for (const [role, text, length] of this.data.legend) {
      const wide = length ? length * this.camera.scale * this.camera.zoom : 18;
      const ends = [[12, y], [12 + wide, y]];
      length ? this.arrow(ends, {width: 2.4}, this.colours[role]) : this.path(ends, {stroke: this.colours[role], width: 2.4});
      this.text(20 + wide, y, text, this.colours.ink, 11);
      y += 17;
    }
  }
}
