'use strict';
/**
 * The script that people start as `spandeck`. It reports a Node that is too old, because the modules behind it cannot:
 * such a Node cannot even parse them. So this file uses only old syntax and features that every Node has. It is next to
 * cli.js.
 */
const LOWEST = [22, 19];
const found = process.versions.node.split('.').map(Number);
const isTooOld = found[0] < LOWEST[0] || (found[0] === LOWEST[0] && found[1] < LOWEST[1]);

if (isTooOld) {
  process.stderr.write(
    `error WRONG_NODE: Expected Node ${LOWEST.join('.')} or later, got ${process.versions.node} (${process.execPath}). Install a newer one from https://nodejs.org, and put it first in PATH.\n`,
  );
  process.exitCode = 1;
} else {
  // The option --disable-warning would do the same, but a Node that is too old refuses it before it reads this file.
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    if (warning.name !== 'ExperimentalWarning')
      process.stderr.write(`(node:${process.pid}) ${warning.name}: ${warning.message}\n`);
  });
  import('./cli.js');
}
