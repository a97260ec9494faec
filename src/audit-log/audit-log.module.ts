import { Module } from '@nestjs/common';
import { AuditLogController } from './audit-log.controller';
import { AuditLogRetentionService } from './audit-log-retention.service';
import { AuditLogService } from './audit-log.service';
import { AuditLogRepository } from './data/audit-log.repository';

/** The record of who changed rights and settings or deleted something. */
@Module({
  controllers: [AuditLogController],
  providers: [AuditLogService, AuditLogRetentionService, AuditLogRepository],
  exports: [AuditLogService],
})
export class AuditLogModule {}
