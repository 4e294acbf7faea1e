/** Loaded by main before the app: keeps every message between main and the page, both ways, as text. */
const { app, ipcMain } = require('electron');

/** Messages as `direction channel json`. */
const record = [];
globalThis.ipcRecord = record;
const keep = (direction, channel, content) =>
  record.push(`${direction} ${channel} ${JSON.stringify(content) ?? 'undefined'}`);

const handle = ipcMain.handle.bind(ipcMain);
ipcMain.handle = (channel, listener) =>
  handle(channel, async (event, ...args) => {
    keep('to-main', channel, args);
    const answer = await listener(event, ...args);
    keep('to-page', channel, answer);
    return answer;
  });
app.on('web-contents-created', (_event, contents) => {
  const send = contents.send.bind(contents);
  contents.send = (channel, ...args) => {
    keep('to-page', channel, args);
    send(channel, ...args);
  };
});
