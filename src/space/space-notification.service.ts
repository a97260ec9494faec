import { Injectable } from '@nestjs/common';
import { type AuditedCaller } from '../access/caller';
import { auditChanges } from '../audit-log/audit-changes';
import { AuditLogService } from '../audit-log/audit-log.service';
import { TransactionsService } from '../database/transactions/transactions.service';
import { toTimestamp } from '../http/request/timestamp';
import { SpaceRepository, type SpaceNotificationRow } from './data/space.repository';
import { type SpaceNotificationDto } from './dto/space-notification.dto';
import { Space } from './entities/space.entity';

/** Manages the message of Administrators to all users. */
@Injectable()
export class SpaceNotificationService {
  constructor(
    private readonly spaces: SpaceRepository,
    private readonly transactions: TransactionsService,
    private readonly auditLog: AuditLogService,
  ) {}

  async get(): Promise<SpaceNotificationDto> {
    return toDto((await this.spaces.findNotification()) as SpaceNotificationRow);
  }

  /** Replaces the message; the audit log records the change. */
  update(caller: AuditedCaller, content: string): Promise<SpaceNotificationDto> {
    return this.transactions.run(async (manager) => {
      await this.spaces.lock(manager);
      const row = (await this.spaces.findNotification(manager)) as SpaceNotificationRow;
      const updated = Date.now();
      await this.spaces.updateNotification(manager, content, updated);
      const after = { ...row, notification: content, notificationUpdated: updated };
      const changes = auditChanges({ ...toDto(row) }, { ...toDto(after) }, ['content']);
      if (changes.length > 0) {
        const subject = { id: Space.ID, name: row.spaceKey };
        await this.auditLog.record(manager, caller, { action: 'spaceNotification.update', subject, changes });
      }
      return toDto(after);
    });
  }
}

const toDto = ({
  notification,
  notificationUpdated,
  created,
}: SpaceNotificationRow): SpaceNotificationDto => ({
  content: notification ?? '',
  updated: toTimestamp(notificationUpdated ?? created),
});
