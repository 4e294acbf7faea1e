/** Number of open dialogs, so that an automatic dialog waits until dialogs of the user are closed. */
class OpenModals {
  count = $state(0);
}

export const openModals = new OpenModals();
