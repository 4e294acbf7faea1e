const { contextBridge, ipcRenderer, webUtils } = require('electron');

contextBridge.exposeInMainWorld('fixture', {
  echo: (value) => ipcRenderer.invoke('echo', value),
  fail: () => ipcRenderer.invoke('fail'),
  sender: () => ipcRenderer.invoke('sender'),
  missing: () => ipcRenderer.invoke('missing'),
  broadcast: (value) => ipcRenderer.invoke('broadcast', value),
  paths: (files) =>
    ipcRenderer.invoke(
      'paths',
      files.map((file) => webUtils.getPathForFile(file)),
    ),
  onNews: (listener) => {
    const wrapped = (_event, value) => listener(value);
    ipcRenderer.on('news', wrapped);
    return () => ipcRenderer.removeListener('news', wrapped);
  },
  addSync: (a, b) => a + b,
  preloadGlobals: () => [typeof require, typeof process, typeof Buffer],
});
