import { childOf, childOfProject, type ProjectResource } from '../projects/project-resource';
import { findItemId } from './data/custom-field-item.repository';

/** Loads the custom field of `/projects/{projectIdOrKey}/customFields/{customFieldId}`. */
export const CustomFieldLoader = childOfProject<ProjectResource>({
  table: 'custom_field',
  parameter: 'customFieldId',
  what: 'custom field',
});

/** A custom field and one of its items. */
export interface CustomFieldItemResource extends ProjectResource {
  itemId: number;
}

/** Loads the custom field and the item of `…/customFields/{customFieldId}/items/{itemId}`. */
export const CustomFieldItemLoader = childOf<ProjectResource, CustomFieldItemResource>(
  CustomFieldLoader,
  { parameter: 'itemId', what: 'item' },
  async (dataSource, field, id) => {
    const itemId = await findItemId(dataSource, field.id, id);
    return itemId === undefined ? undefined : { ...field, itemId };
  },
);
