/**
 * Loaded by main before the application: the page hangs once it shows its first view, as if its script ran for ever. The
 * question is answered with "Load again"; what the window shows afterwards is written to standard output, and the
 * application quits. No debugger may be attached: Chromium then takes no page for hung.
 */
const { app, dialog } = require('electron');

const LOOK_EVERY_MS = 200;
/** Longer than any test: it ends with its process. */
const HANG = 'setTimeout(() => { const end = Date.now() + 600000; while (Date.now() < end); }), 0';
const TEXT = 'document.documentElement.dataset.ready ? document.body.innerText : ""';

let hasHung = false;
const say = (word, about) => process.stdout.write(`${JSON.stringify({ word, about })}\n`);

app.on('browser-window-created', (_event, window) => {
  const contents = window.webContents;
  dialog.showMessageBox = async (_window, { message, buttons }) => {
    say('asked', message);
    return { response: buttons.indexOf('Load again'), checkboxChecked: false };
  };
  const look = async () => {
    const text = await contents.executeJavaScript(TEXT).catch(() => '');
    if (text === '') return;
    clearInterval(timer);
    if (hasHung) {
      say('back', text);
      app.quit();
      return;
    }
    hasHung = true;
    await contents.executeJavaScript(HANG);
    // A page is hung once it has left an input unanswered for a while: one that it does not take before it hangs.
    timer = setInterval(() => {
      for (const type of ['mouseDown', 'mouseUp'])
        contents.sendInputEvent({ type, x: 200, y: 200, button: 'left', clickCount: 1 });
    }, LOOK_EVERY_MS);
  };
  let timer = setInterval(look, LOOK_EVERY_MS);
  contents.on('render-process-gone', (_gone, { reason }) => {
    say('gone', reason);
    clearInterval(timer);
    timer = setInterval(look, LOOK_EVERY_MS);
  });
});
