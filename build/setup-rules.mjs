/** Decisions of the setup, separate from its actions. Pure, for all platforms. Runs on Node 18, like bootstrap.mjs. */

const DAY_MS = 24 * 60 * 60_000;

/** The oldest Node that can run the sources: it must strip types, and the HTTP client requires 22.19. */
export const OLDEST_NODE = '22.19';

/** Whether a version (`process.versions.node`) is new enough. 23.0 to 23.5 do not strip types by default. */
export function isNodeNewEnough(version) {
  const [major, minor] = version.split('.').map(Number);
  return major > 23 || (major === 23 && minor >= 6) || (major === 22 && minor >= 19);
}

/**
 * Whether a program needs a shell, as npm.cmd does. A shell quotes nothing, and would split a path such as C:\Program
 * Files\nodejs\node.exe, so all other programs are started without one.
 */
export const needsShell = (platform, program) => platform === 'win32' && program.endsWith('.cmd');

/**
 * The npm program and its first arguments: the npm script that started this process, run by a Node outside of
 * node_modules, because `npm ci` deletes the one inside. Without such a script, npm by its name. `nodes`: full paths of
 * the existing Nodes, with links resolved.
 */
export function npmProgram({ platform, script, hasScript, nodes, modules, separator }) {
  const node = nodes.find((file) => !file.startsWith(modules + separator));
  if (script.endsWith('.js') && hasScript && node !== undefined) return [node, script];
  return [platform === 'win32' ? 'npm.cmd' : 'npm'];
}

/**
 * Whether an earlier note that Electron is missing still applies: the network may work a day later, and another version
 * may be available.
 */
export function isAbsenceKnown(noted, version, nowMs) {
  if (noted.version !== version) return false;
  const age = nowMs - Date.parse(noted.at);
  return age >= 0 && age < DAY_MS;
}
