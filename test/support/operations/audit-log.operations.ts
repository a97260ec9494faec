import { AuditLogService } from '../../../src/audit-log/audit-log.service';
import { ADMINISTRATORS, type OperationCases, times } from './operation-case';

export const auditLogOperations: OperationCases = {
  listAuditLog: {
    right: ADMINISTRATORS,
    scope: 'space',
    list: {
      fill: (world, _project, count) =>
        times(count, async () => {
          const actor = { id: (await world.addUser()).id, address: '192.0.2.1' };
          const project = await world.addProject();
          const subject = { id: project.issueId, name: world.uniqueName('Issue') };
          await world.write((manager) =>
            world.service(AuditLogService).record(manager, actor, {
              action: 'issue.delete',
              subject,
              projectId: project.id,
            }),
          );
        }),
    },
  },
};
