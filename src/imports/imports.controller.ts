import { Controller, Delete, Get, Post, Req } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiTags } from '@nestjs/swagger';
import { Access, CurrentAuditedCaller, PathResource } from '../access/access';
import { type AuditedCaller } from '../access/caller';
import { RoleType } from '../access/role-type';
import { type ReadRequest } from '../http/request/request-reader.guard';
import { NOT_OF_THE_FAMILY } from '../openapi/not-of-the-family';
import { Operation } from '../openapi/operation';
import { ImportDto } from './dto/import.dto';
import { ImportLoader, type ImportResource } from './import.loader';
import { endedError, ImportsService, tooManyError } from './imports.service';

const NOTE = `Only Administrators may do this. ${NOT_OF_THE_FAMILY}`;

@ApiTags('Space')
@Controller('space/imports')
export class ImportsController {
  constructor(private readonly imports: ImportsService) {}

  @Get()
  @Operation({
    summary: 'List imports',
    description: `The latest 100 imports of archives, newest first. ${NOTE}`,
    returns: [ImportDto],
  })
  @Access({ roles: [RoleType.Administrator], beyondProjects: true })
  listImports(): Promise<ImportDto[]> {
    return this.imports.list();
  }

  @Post()
  @Operation({
    summary: 'Import an archive',
    description: `Takes an archive of projects, as \`pms export\` writes it, and imports it in the background. Its projects become visible together at the end. Nobody is notified, and no webhook is sent. ${NOTE}`,
    returns: ImportDto,
    creates: true,
    conflicts: [tooManyError()],
  })
  @ApiConsumes('multipart/form-data')
  @ApiBody({
    schema: {
      type: 'object',
      required: ['file'],
      properties: {
        project: { type: 'string', description: 'New keys of projects.', example: 'OLD:NEW,OTHER:MORE' },
        users: {
          type: 'string',
          description:
            'Login names of people of the archive, each with the login name, mail address or id of a user of the space, one pair a line.',
          example: 'mika:m.virtanen',
        },
        keepAccounts: {
          type: 'boolean',
          example: false,
          description:
            'Whether people whom the space lacks become users as they were, and unread notifications stay unread. Otherwise, they become disabled users without mail addresses.',
        },
        file: { type: 'string', format: 'binary' },
      },
    },
  })
  @Access({ roles: [RoleType.Administrator], beyondProjects: true, needsRecentSignIn: true })
  addImport(@Req() request: ReadRequest, @CurrentAuditedCaller() caller: AuditedCaller): Promise<ImportDto> {
    return this.imports.upload(request, caller);
  }

  @Get(':importId')
  @Operation({ summary: 'Get an import', description: NOTE, returns: ImportDto })
  @Access({ roles: [RoleType.Administrator], resource: ImportLoader, beyondProjects: true })
  getImport(@PathResource() { id }: ImportResource): Promise<ImportDto> {
    return this.imports.get(id);
  }

  @Post(':importId/resume')
  @Operation({
    summary: 'Resume an import',
    description: `Lets an import go on that an error has stopped, after its cause has been removed. ${NOTE}`,
    returns: ImportDto,
    conflicts: [endedError()],
  })
  @Access({ roles: [RoleType.Administrator], resource: ImportLoader, beyondProjects: true })
  async resumeImport(@PathResource() { id }: ImportResource): Promise<ImportDto> {
    await this.imports.resume(id);
    return this.imports.get(id);
  }

  @Delete(':importId')
  @Operation({
    summary: 'Cancel an import',
    description: `Removes what it has written, in the background. An import whose projects are visible cannot be cancelled. ${NOTE}`,
    returns: ImportDto,
    conflicts: [endedError()],
  })
  @Access({ roles: [RoleType.Administrator], resource: ImportLoader, beyondProjects: true })
  cancelImport(@PathResource() { id }: ImportResource): Promise<ImportDto> {
    return this.imports.cancel(id);
  }
}
