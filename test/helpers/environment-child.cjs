// A utility process that sends the names of its environment variables. Electron gives it a port, a plain Node a channel.
const names = Object.keys(process.env).sort();
if (process.parentPort) process.parentPort.postMessage(names);
else process.send(names);
