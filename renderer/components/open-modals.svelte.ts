/** Number of open dialogs, so that an automatic dialog waits for those opened by the user. */
class OpenModals {
  count = $state(0);
}

export const openModals = new OpenModals();
