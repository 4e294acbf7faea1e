/** Decisions of the setup, apart from what it does: pure, for any platform. Runs on Node 18, as bootstrap.mjs does. */

const DAY_MS = 24 * 60 * 60_000;

/** The oldest Node that runs what is not built: types are stripped, and the HTTP client asks for 22.19. */
export const OLDEST_NODE = '22.19';

/** Of `process.versions.node`. 23.0 to 23.5 do not strip types by themselves. */
export function isNodeNewEnough(version) {
  const [major, minor] = version.split('.').map(Number);
  return major > 23 || (major === 23 && minor >= 6) || (major === 22 && minor >= 19);
}

/**
 * How a program is started: npm.cmd only by a shell, which quotes nothing; everything else without one, because a path
 * such as C:\Program Files\nodejs\node.exe would fall apart there.
 */
export const needsShell = (platform, program) => platform === 'win32' && program.endsWith('.cmd');

/**
 * npm as program and first arguments: the script that started us, run by a Node outside node_modules (`npm ci` deletes
 * the one inside); where there is none, npm by its name. `nodes`: full paths of Nodes that are there, links resolved.
 */
export function npmProgram({ platform, script, hasScript, nodes, modules, separator }) {
  const node = nodes.find((file) => !file.startsWith(modules + separator));
  if (script.endsWith('.js') && hasScript && node !== undefined) return [node, script];
  return [platform === 'win32' ? 'npm.cmd' : 'npm'];
}

/**
 * Whether Electron's absence, noted by an earlier setup, still stands: what the network refused may be had tomorrow, and
 * for another version nothing is known.
 */
export function isAbsenceKnown(noted, version, nowMs) {
  if (noted.version !== version) return false;
  const age = nowMs - Date.parse(noted.at);
  return age >= 0 && age < DAY_MS;
}
