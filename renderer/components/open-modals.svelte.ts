/** How many dialogs are open, so that one that comes by itself waits for those a person opened. */
class OpenModals {
  count = $state(0);
}

export const openModals = new OpenModals();
