/**
 * A program that starts an "app" in the way of `npm start`. The app reports each signal that it receives, and ends on
 * request.
 */
import { startApp, waitForEnd } from '../../build/app-process.ts';

const APP = `
let count = 0;
process.on('SIGINT', () => {
  count += 1;
  console.log('SIGINT ' + count);
});
process.on('SIGTERM', () => process.exit(0));
setInterval(() => undefined, 1_000);
console.log('ready ' + process.pid);
`;

const child = startApp(process.execPath, ['-e', APP], { stdio: ['ignore', 'inherit', 'inherit'] });
process.exitCode = await waitForEnd(child);
