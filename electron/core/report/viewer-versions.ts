/**
 * Script and style of each version of a report, as base64 of their SHA-256. A file is known by them long after it was
 * written, so a viewer that changes after a release is a new version (`REPORT_VERSION`) with an entry of its own; entries of
 * released versions stay.
 */
export const VIEWER_VERSIONS: Readonly<Record<number, { script: string; style: string }>> = {
  1: {
    script: '8j7iUlFv2MXGPHEGv4NfoMdFGDikNcE1F/aIYijMKss=',
    style: 'kHZKTEnW4eqvWPWG3pskZHOFrjgr6bxdIwpub6qUwaw=',
  },
};
