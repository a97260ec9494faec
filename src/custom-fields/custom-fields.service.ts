import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { RoleType } from '../access/role-type';
import { type AuditedCaller } from '../access/caller';
import { TransactionsService } from '../database/transactions/transactions.service';
import { InvalidRequestError, NoResourceError, UnauthorizedOperationError } from '../errors/domain-errors';
import { CountLimitsService } from '../limits/count-limits.service';
import { foldName } from '../project-settings/fold-name';
import { SettingAuditService } from '../project-settings/setting-audit.service';
import { SettingsLookupService } from '../project-settings/settings-lookup.service';
import { ProjectCountersService } from '../projects/project-counters.service';
import { type ProjectResource } from '../projects/project-resource';
import { UsersService } from '../users/users.service';
import { CustomFieldReaderService } from './custom-field-reader.service';
import { type ListSettings } from './custom-field-settings';
import { type CustomFieldReferences } from './custom-field-references';
import { isListType } from './custom-field-type';
import { toCustomFieldDto, type WholeCustomField } from './custom-field.mapper';
import { CustomFieldIssueTypeRepository } from './data/custom-field-issue-type.repository';
import { CustomFieldItemRepository } from './data/custom-field-item.repository';
import { CustomFieldRepository } from './data/custom-field.repository';
import { type AddCustomFieldDto } from './dto/add-custom-field.dto';
import { type CustomFieldDto } from './dto/custom-field.dto';
import { type UpdateCustomFieldDto } from './dto/update-custom-field.dto';
import { settingsAfter } from './setting-values';

/** Manages the custom fields of a project and their items (`docs/decisions/0037-custom-fields.md`). */
@Injectable()
export class CustomFieldsService {
  private readonly references: CustomFieldReferences[] = [];

  constructor(
    private readonly reader: CustomFieldReaderService,
    private readonly fields: CustomFieldRepository,
    private readonly items: CustomFieldItemRepository,
    private readonly issueTypes: CustomFieldIssueTypeRepository,
    private readonly lookup: SettingsLookupService,
    private readonly transactions: TransactionsService,
    private readonly counters: ProjectCountersService,
    private readonly limits: CountLimitsService,
    private readonly audit: SettingAuditService,
    private readonly users: UsersService,
  ) {}

  /** Registers a module that references custom fields, for the removal of one of them. */
  onRemoved(references: CustomFieldReferences): void {
    this.references.push(references);
  }

  /** Returns a project's custom fields, in their order. */
  async list(projectId: number): Promise<CustomFieldDto[]> {
    return (await this.reader.listOfProject(projectId)).map(toCustomFieldDto);
  }

  /**
   * Adds a custom field after the existing ones. Issues have no value in it.
   * @throws InvalidRequestError when the project has a field with that name or the settings are invalid; ResourceOverflowError when there
   *   are too many fields or items
   */
  add(projectId: number, caller: AuditedCaller, body: AddCustomFieldDto): Promise<CustomFieldDto> {
    const { typeId, name, description = '', required = false, applicableIssueTypes = [], items = [] } = body;
    const settings = settingsAfter(typeId, body);
    requireDistinctNames(items);
    this.limits.require('customFieldItem', items.length);
    return this.transactions.run(async (manager) => {
      const number = await this.counters.take(manager, projectId, 'customField');
      await this.lockIssueTypes(manager, projectId, applicableIssueTypes);
      const row = {
        projectId,
        name,
        displayOrder: number - 1,
        typeId,
        description,
        required,
        settings,
        version: 0,
      };
      const { id } = await this.fields.insert(manager, row);
      await this.issueTypes.replace(manager, id, applicableIssueTypes);
      await this.addItems(manager, id, items);
      return this.finish(manager, caller, id);
    });
  }

  /**
   * Updates a custom field. Values in issues are kept even if the new settings would reject them.
   * @throws InvalidRequestError when the project has another field with that name or the settings are invalid; ResourceOverflowError when
   *   there are too many items
   */
  update(
    { id }: ProjectResource,
    caller: AuditedCaller,
    body: UpdateCustomFieldDto,
  ): Promise<CustomFieldDto> {
    const { name, description, required, applicableIssueTypes, items } = body;
    requireDistinctNames(items ?? []);
    return this.transactions.run(async (manager) => {
      const before = await this.reader.lock(manager, id);
      const settings = settingsAfter(before.typeId, body, before.settings);
      const changes = { name, description, required, settings, version: before.version + 1 };
      await this.fields.update(manager, id, changes);
      if (applicableIssueTypes) {
        await this.lockIssueTypes(manager, before.projectId, applicableIssueTypes);
        await this.issueTypes.replace(manager, id, applicableIssueTypes);
      }
      if (items) await this.replaceItems(manager, before, items);
      return this.finish(manager, caller, id, before);
    });
  }

  /** Removes a custom field with its values in issues, and returns its last state. */
  delete({ id, projectId }: ProjectResource, caller: AuditedCaller): Promise<CustomFieldDto> {
    return this.transactions.run(async (manager) => {
      await this.counters.giveBack(manager, projectId, 'customField');
      const field = await this.reader.lock(manager, id);
      await this.removeItems(manager, field.items);
      for (const { removeValues } of this.references) await removeValues(manager, id);
      await this.fields.remove(manager, id);
      const removed = toCustomFieldDto(field);
      await this.audit.record(manager, caller, 'customField.delete', { before: forAudit(removed) });
      return removed;
    });
  }

  /**
   * Adds an item after the existing ones. Administrators always can; others only if the field allows it.
   * @throws UnauthorizedOperationError when the caller is not allowed to, InvalidRequestError when the field has no items or has one with
   *   that name, ResourceOverflowError when it has too many
   */
  addItem(
    { id, isProjectAdministrator }: ProjectResource,
    caller: AuditedCaller,
    name: string,
  ): Promise<CustomFieldDto> {
    return this.changeItems(id, caller, async (manager, field) => {
      const { allowAddItem } = field.settings as ListSettings;
      if (!allowAddItem && !isProjectAdministrator) {
        if (caller.roleType !== RoleType.Administrator) throw new UnauthorizedOperationError();
        await this.users.requireAdministratorOrSelf(manager, caller);
      }
      this.limits.require('customFieldItem', field.items.length + 1);
      const displayOrder = (field.items.at(-1)?.displayOrder ?? -1) + 1;
      await this.items.insertOne(manager, { customFieldId: id, name, displayOrder });
    });
  }

  /**
   * Renames an item.
   * @throws NoResourceError when the field has no such item, InvalidRequestError when it has another with that name
   */
  updateItem(
    { id }: ProjectResource,
    itemId: number,
    caller: AuditedCaller,
    name: string,
  ): Promise<CustomFieldDto> {
    return this.changeItems(id, caller, async (manager, field) => {
      requireItem(field, itemId);
      await this.items.update(manager, itemId, { name });
    });
  }

  /**
   * Removes an item, and clears it in issues.
   * @throws NoResourceError when the field has no such item
   */
  deleteItem({ id }: ProjectResource, itemId: number, caller: AuditedCaller): Promise<CustomFieldDto> {
    return this.changeItems(id, caller, async (manager, field) => {
      requireItem(field, itemId);
      await this.removeItems(manager, [{ id: itemId }]);
    });
  }

  private changeItems(
    id: number,
    caller: AuditedCaller,
    change: (manager: EntityManager, field: WholeCustomField) => Promise<void>,
  ): Promise<CustomFieldDto> {
    return this.transactions.run(async (manager) => {
      const before = await this.reader.lock(manager, id);
      if (!isListType(before.typeId)) throw new InvalidRequestError('The custom field has no items.');
      await change(manager, before);
      await this.fields.update(manager, id, { version: before.version + 1 });
      return this.finish(manager, caller, id, before);
    });
  }

  /** Replaces the items of a field. Items that keep their names keep their ids, so that issues keep them. */
  private async replaceItems(
    manager: EntityManager,
    { id, items }: WholeCustomField,
    names: readonly string[],
  ): Promise<void> {
    this.limits.require('customFieldItem', names.length);
    const places = new Map(names.map((name, place) => [foldName(name), { name, place }]));
    await this.removeItems(
      manager,
      items.filter(({ name }) => !places.has(foldName(name))),
    );
    for (const item of items) {
      const place = places.get(foldName(item.name));
      if (!place) continue;
      places.delete(foldName(item.name));
      if (item.name === place.name && item.displayOrder === place.place) continue;
      await this.items.update(manager, item.id, { name: place.name, displayOrder: place.place });
    }
    await this.items.insert(
      manager,
      [...places.values()].map(({ name, place }) => ({ customFieldId: id, name, displayOrder: place })),
    );
  }

  /** Removes items, and clears them in issues. */
  private async removeItems(manager: EntityManager, items: readonly { id: number }[]): Promise<void> {
    const ids = items.map(({ id }) => id);
    for (const { removeItems } of this.references) await removeItems(manager, ids);
    await this.items.remove(manager, ids);
  }

  private addItems(manager: EntityManager, customFieldId: number, names: readonly string[]): Promise<void> {
    return this.items.insert(
      manager,
      names.map((name, displayOrder) => ({ customFieldId, name, displayOrder })),
    );
  }

  private async lockIssueTypes(
    manager: EntityManager,
    projectId: number,
    ids: readonly number[],
  ): Promise<void> {
    await this.lookup.lockIssueTypes(manager, projectId, ids, 'applicableIssueTypes');
  }

  /** Records the change in the audit log, and returns the changed field. */
  private async finish(
    manager: EntityManager,
    caller: AuditedCaller,
    id: number,
    before?: WholeCustomField,
  ): Promise<CustomFieldDto> {
    const changed = toCustomFieldDto(await this.reader.lock(manager, id));
    const action = before ? 'customField.update' : 'customField.add';
    const old = before && forAudit(toCustomFieldDto(before));
    await this.audit.record(manager, caller, action, { before: old, after: forAudit(changed) });
    return changed;
  }
}

/** Omits the version, which changes with every update. */
const forAudit = ({ version: _, ...field }: CustomFieldDto): Omit<CustomFieldDto, 'version'> => field;

function requireDistinctNames(names: readonly string[]): void {
  if (new Set(names.map(foldName)).size < names.length) {
    throw InvalidRequestError.of('items', 'The names of items must differ.');
  }
}

function requireItem(field: WholeCustomField, itemId: number): void {
  if (!field.items.some(({ id }) => id === itemId)) throw new NoResourceError('item');
}
