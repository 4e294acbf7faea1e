/**
 * Decisions of the setup, separate from its actions: pure, for any platform. Runs on Node 18, as bootstrap.mjs does.
 */

const DAY_MS = 24 * 60 * 60_000;

/** The oldest Node that runs the sources: it must strip types, and the HTTP client requires 22.19. */
export const OLDEST_NODE = '22.19';

/** Takes `process.versions.node`. 23.0 to 23.5 do not strip types by default. */
export function isNodeNewEnough(version) {
  const [major, minor] = version.split('.').map(Number);
  return major > 23 || (major === 23 && minor >= 6) || (major === 22 && minor >= 19);
}

/**
 * npm.cmd needs a shell, which quotes nothing; everything else starts without one, because a shell would split a path
 * such as C:\Program Files\nodejs\node.exe.
 */
export const needsShell = (platform, program) => platform === 'win32' && program.endsWith('.cmd');

/**
 * The npm program and its first arguments: the script that started us, run by a Node outside node_modules (`npm ci`
 * deletes the one inside); if there is none, npm by its name. `nodes`: full paths of the existing Nodes, with links
 * resolved.
 */
export function npmProgram({ platform, script, hasScript, nodes, modules, separator }) {
  const node = nodes.find((file) => !file.startsWith(modules + separator));
  if (script.endsWith('.js') && hasScript && node !== undefined) return [node, script];
  return [platform === 'win32' ? 'npm.cmd' : 'npm'];
}

/**
 * True if an earlier note that Electron is missing still applies: the network may work a day later, and another version
 * may be available.
 */
export function isAbsenceKnown(noted, version, nowMs) {
  if (noted.version !== version) return false;
  const age = nowMs - Date.parse(noted.at);
  return age >= 0 && age < DAY_MS;
}
