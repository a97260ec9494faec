import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access } from '../access/access';
import { RoleType } from '../access/role-type';
import { NOT_OF_THE_FAMILY } from '../openapi/not-of-the-family';
import { Operation } from '../openapi/operation';
import { type Page } from '../paging/page';
import { AuditLogService } from './audit-log.service';
import { AuditLogEntryDto } from './dto/audit-log-entry.dto';
import { AuditLogQuery } from './dto/audit-log-query.dto';

@ApiTags('Space')
@Controller('space/auditLog')
export class AuditLogController {
  constructor(private readonly auditLog: AuditLogService) {}

  @Get()
  @Operation({
    summary: 'List the entries of the audit log',
    description: `Changes to users, API keys, roles, members, webhooks and settings, and deletions, newest first unless \`order\` is \`asc\`. Only Administrators may do this. Entries are removed after 400 days (configurable). ${NOT_OF_THE_FAMILY}`,
    returns: [AuditLogEntryDto],
  })
  @Access({ roles: [RoleType.Administrator] })
  listAuditLog(@Query() query: AuditLogQuery): Promise<Page<AuditLogEntryDto>> {
    return this.auditLog.list(query);
  }
}
