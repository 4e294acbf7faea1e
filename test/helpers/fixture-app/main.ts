/** A small app with the same security settings as the product, to test the runtime itself. */
import * as fs from 'node:fs';
import * as path from 'node:path';
import { app, BrowserWindow, ipcMain, Menu, protocol, session, shell } from 'electron';

const startedAtMs = performance.now();
const FOLDER = import.meta.dirname;
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; worker-src 'self'";
const TYPES: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript' };

/** Data that specs read by `app.evaluate`. */
interface Seen {
  readonly opened: string[];
  readonly navigations: string[];
  readonly requests: string[];
  readonly menu: string[];
}
const seen: Seen = { opened: [], navigations: [], requests: [], menu: [] };
Object.assign(globalThis, { seen });

const dataDir = process.argv.find((argument) => argument.startsWith('--data-dir='));
if (dataDir !== undefined) app.setPath('userData', dataDir.slice('--data-dir='.length));

protocol.registerSchemesAsPrivileged([
  { scheme: 'app', privileges: { standard: true, secure: true, supportFetchAPI: true } },
]);

function serve(request: Request): Response {
  const name = decodeURIComponent(new URL(request.url).pathname);
  const file = path.join(FOLDER, 'page', name);
  if (!file.startsWith(path.join(FOLDER, 'page') + path.sep) || !fs.existsSync(file)) {
    return new Response('not found', { status: 404 });
  }
  const headers = {
    'content-type': TYPES[path.extname(file)] ?? 'application/octet-stream',
    'content-security-policy': CONTENT_SECURITY_POLICY,
  };
  return new Response(fs.readFileSync(file), { headers });
}

function handleMessages(): void {
  ipcMain.handle('echo', (_event, value: unknown) => value);
  ipcMain.handle('fail', () => {
    throw new TypeError('nope');
  });
  ipcMain.handle('sender', (event) => ({
    url: event.senderFrame?.url,
    isMain: event.senderFrame?.parent === null,
  }));
  ipcMain.handle('paths', (_event, paths: string[]) => paths);
  ipcMain.handle('broadcast', (event, value: unknown) => event.sender.send('news', value));
}

/** Prints a JSON line and quits, as the product does with `--smoke`. */
function report(readyMs: number): void {
  process.stdout.write(`${JSON.stringify({ ready: true, windowMs: 0, readyMs })}\n`, () => app.quit());
}

function createWindow(): BrowserWindow {
  const window = new BrowserWindow({
    width: 900,
    height: 600,
    show: false,
    backgroundColor: '#ffffff',
    webPreferences: {
      preload: path.join(FOLDER, 'preload.cjs'),
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      spellcheck: false,
    },
  });
  window.webContents.setWindowOpenHandler(({ url }) => {
    seen.opened.push(url);
    return { action: 'deny' };
  });
  window.webContents.on('will-navigate', (event) => {
    seen.navigations.push(event.url);
    event.preventDefault();
  });
  window.once('ready-to-show', () => {
    window.show();
    if (process.argv.includes('--smoke')) report(performance.now() - startedAtMs);
  });
  return window;
}

function start(): void {
  protocol.handle('app', serve);
  handleMessages();
  session.defaultSession.setPermissionRequestHandler((_contents, _permission, callback) => callback(false));
  session.defaultSession.setPermissionCheckHandler(() => false);
  session.defaultSession.webRequest.onBeforeRequest((details, callback) => {
    seen.requests.push(details.url);
    callback({ cancel: !/^(app|devtools|data|blob):/.test(details.url) });
  });
  const submenu = [
    { id: 'hello', label: 'Hello', accelerator: 'CmdOrCtrl+Shift+Y', click: () => seen.menu.push('hello') },
  ];
  Menu.setApplicationMenu(Menu.buildFromTemplate([{ label: 'Test', submenu }]));
  Object.assign(globalThis, { openExternal: (url: string) => shell.openExternal(url) });
  const window = createWindow();
  void window.loadURL('app://bundle/index.html');
}

app.on('window-all-closed', () => app.quit());
void app.whenReady().then(start);
