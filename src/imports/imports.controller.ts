import { Controller, Delete, Get, Post, Req } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiTags } from '@nestjs/swagger';
import { type SchemaObject } from '../openapi/openapi-types';
import { Access, CurrentAuditedCaller, PathResource } from '../access/access';
import { type AuditedCaller } from '../access/caller';
import { RoleType } from '../access/role-type';
import { type ReadRequest } from '../http/request/request-reader.guard';
import { NOT_OF_THE_FAMILY } from '../openapi/not-of-the-family';
import { Operation } from '../openapi/operation';
import { REMOTE_FORMS } from '../sources/remote-sources';
import { TEXT_FORMATS } from '../sources/text-format';
import { ImportDto } from './dto/import.dto';
import { MAX_NAME_LENGTH } from './import-fields';
import { ImportLoader, type ImportResource } from './import.loader';
import { endedError, ImportsService, tooManyError } from './imports.service';

const NOTE = `Only Administrators may do this. ${NOT_OF_THE_FAMILY}`;

const IMPORT_FORM: SchemaObject = {
  type: 'object',
  description: 'Either `file` or `from`.',
  example: {
    from: 'backlog://example.backlog.com',
    key: 'the key of a user there',
    project: 'DEMO,APP:MOBILE',
  },
  properties: {
    from: {
      type: 'string',
      maxLength: MAX_NAME_LENGTH,
      description: `The address of a source: ${REMOTE_FORMS}. It must be public, or in \`IMPORT_SOURCE_ALLOW\`.`,
    },
    key: {
      type: 'string',
      description:
        'An API key of the source, or several, separated by commas, which share its limits. It is kept, encrypted, until the import has ended.',
    },
    gitUser: {
      type: 'string',
      description: 'Who clones the git repositories of the source; by default the owner of the key.',
    },
    gitPassword: { type: 'string', description: 'The password for that; by default the key.' },
    textFormat: { type: 'string', enum: [...TEXT_FORMATS], description: 'How a Redmine formats texts.' },
    project: {
      type: 'string',
      description:
        'New keys of projects, such as `OLD:NEW,OTHER:MORE`. Of a source, only these projects are imported, and a name alone keeps its key.',
    },
    users: {
      type: 'string',
      description:
        'Login names of people of the archive or the source, each with the login name, mail address or id of a user of the space, one pair a line, such as `mika:m.virtanen`.',
    },
    keepAccounts: {
      type: 'boolean',
      default: false,
      description:
        'Whether people whom the space lacks become users as they were, and unread notifications stay unread. Otherwise, they become disabled users without mail addresses.',
    },
    follow: {
      type: 'boolean',
      default: false,
      description:
        'Whether projects are replaced that an earlier import of the same name has added, if nobody has changed them since.',
    },
    file: { type: 'string', format: 'binary', description: 'An archive.' },
  },
};

@ApiTags('Space')
@Controller('space/imports')
export class ImportsController {
  constructor(private readonly imports: ImportsService) {}

  @Get()
  @Operation({
    summary: 'List imports',
    description: `The latest 100 imports, newest first. ${NOTE}`,
    returns: [ImportDto],
  })
  @Access({ roles: [RoleType.Administrator], beyondProjects: true })
  listImports(): Promise<ImportDto[]> {
    return this.imports.list();
  }

  @Post()
  @Operation({
    summary: 'Begin an import',
    description: `Takes an archive of projects, as \`pms export\` writes it, or the address of another tracker, and imports it in the background. Its projects become visible together at the end. Nobody is notified, and no webhook is sent. ${NOTE}`,
    returns: ImportDto,
    creates: true,
    conflicts: [tooManyError()],
  })
  @ApiConsumes('multipart/form-data')
  @ApiBody({ schema: IMPORT_FORM })
  @Access({ roles: [RoleType.Administrator], beyondProjects: true, needsRecentSignIn: true })
  addImport(@Req() request: ReadRequest, @CurrentAuditedCaller() caller: AuditedCaller): Promise<ImportDto> {
    return this.imports.addFrom(request, caller);
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
