import { Module } from '@nestjs/common';
import { AuditLogController } from './audit-log.controller';
import { AuditLogRetentionService } from './audit-log-retention.service';
import { AuditLogService } from './audit-log.service';
import { AuditLogRepository } from './data/audit-log.repository';

/** The record of changes of rights and settings and of deletions, with their originators. */
@Module({
  controllers: [AuditLogController],
  providers: [AuditLogService, AuditLogRetentionService, AuditLogRepository],
  exports: [AuditLogService],
})
export class AuditLogModule {}
