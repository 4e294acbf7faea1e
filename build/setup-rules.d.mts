export const OLDEST_NODE: string;
export function isNodeNewEnough(version: string): boolean;
export function needsShell(platform: NodeJS.Platform, program: string): boolean;
export function npmProgram(from: {
  platform: NodeJS.Platform;
  script: string;
  hasScript: boolean;
  nodes: readonly string[];
  modules: string;
  separator: string;
}): string[];
export function isAbsenceKnown(
  noted: { version?: string; at?: string },
  version: string | undefined,
  nowMs: number,
): boolean;
