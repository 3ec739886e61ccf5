// Browsers refuse workers to pages that are opened as files. The search of the site runs in one: here it gets a hidden
// frame in its place, which takes and sends the same messages.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      const frame = document.createElement("iframe")
      frame.hidden = true
      document.body.append(frame)
      this.inside = frame.contentWindow
      this.inside.document.open()
      this.inside.document.write("<!doctype html><html><head></head><body></body></html>")
      this.inside.document.close()
      this.inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }))
      this.ready = new Promise((resolve, reject) => {
        const script = this.inside.document.createElement("script")
        script.onload = resolve
        script.onerror = reject
        script.src = url
        this.inside.document.head.append(script)
      })
    }

    postMessage(data) {
      this.ready.then(() => this.inside.dispatchEvent(new MessageEvent("message", { data })))
    }
  }
}
