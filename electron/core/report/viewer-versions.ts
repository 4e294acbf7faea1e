/**
 * Script and style of each version of a report, as base64 of their SHA-256. A file is known by them long after it was
 * written, so a viewer that changes is a new version (`REPORT_VERSION`) with an entry of its own; earlier entries stay.
 */
export const VIEWER_VERSIONS: Readonly<Record<number, { script: string; style: string }>> = {
  1: {
    script: 'dRdMIkA2rkAIOXvK2dCZZI0jvntK5Xu/pblObQ5Rrl8=',
    style: 'Ye5kpbWk1NW+FJpE1mjfE+iWsaiEJAH1z7k1JAoZ144=',
  },
};
