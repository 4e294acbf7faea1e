/** Lists, details, forms and deletions of resources in the window, located by role and name. */
import { expect, type Locator } from '@playwright/test';
import { Workbench } from './pages.ts';
import { openPlaceToStay } from './places.ts';

export class ResourcePage extends Workbench {
  /** Opens a place by its name, in a tab that is kept. */
  async open(section: string): Promise<void> {
    await openPlaceToStay(this.page, section);
    await expect(this.heading).toHaveText(section);
  }

  button(name: string | RegExp): Locator {
    return this.view.getByRole('button', { name, exact: typeof name === 'string' });
  }

  form(name: string): Locator {
    return this.view.getByRole('form', { name });
  }

  /** A field of a form by its label. */
  field(form: Locator, label: string): Locator {
    return form.getByLabel(label, { exact: true });
  }

  /** Picks a record of a stored list by its name. */
  async pick(form: Locator, label: string, option: string | RegExp): Promise<void> {
    await form.getByRole('combobox', { name: label, exact: true }).click();
    await this.page.getByRole('option', { name: option }).click();
  }

  /** The fields that the view of a record shows. */
  fields(name: string): Locator {
    return this.view.getByRole('region', { name: `Fields of ${name}` }).first();
  }

  dialog(name: string): Locator {
    return this.page.getByRole('dialog', { name });
  }

  /** Deletes the shown record, and types its name to confirm. */
  async deleteShown(noun: string, name: string): Promise<void> {
    await this.button('Delete…').click();
    const dialog = this.dialog(`Delete ${name}`);
    await dialog.getByRole('textbox', { name: `Type ${name} to continue` }).fill(name);
    await dialog.getByRole('button', { name: `Delete ${noun}` }).click();
    await expect(dialog).toBeHidden();
  }
}
