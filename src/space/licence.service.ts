import { Injectable } from '@nestjs/common';
import { Environment } from '../config/environment';
import { type LicenceDto } from './dto/licence.dto';
import { SpaceService } from './space.service';

/** Returns the limits in the settings as a licence of the family (`docs/decisions/0042-icons-and-space.md`). */
@Injectable()
export class LicenceService {
  constructor(
    private readonly environment: Environment,
    private readonly space: SpaceService,
  ) {}

  async get(): Promise<LicenceDto> {
    const { MAX_FILE_SIZE, MAX_ATTACHED_FILES, SPACE_CAPACITY, ALLOWED_ADDRESSES, ...limits } =
      this.environment;
    const { created } = await this.space.get();
    return {
      active: true,
      attachmentLimit: SPACE_CAPACITY,
      attachmentLimitPerFile: MAX_FILE_SIZE,
      attachmentNumLimit: MAX_ATTACHED_FILES,
      attribute: true,
      attributeLimit: limits.MAX_CUSTOM_FIELDS,
      burndown: false,
      commentLimit: 0,
      componentLimit: limits.MAX_CATEGORIES,
      fileSharing: true,
      gantt: false,
      git: true,
      issueLimit: 0,
      licenceTypeId: 0,
      limitDate: null,
      nulabAccount: false,
      parentChildIssue: true,
      postIssueByMail: false,
      projectLimit: limits.MAX_PROJECTS,
      pullRequestAttachmentLimitPerFile: MAX_FILE_SIZE,
      pullRequestAttachmentNumLimit: MAX_ATTACHED_FILES,
      remoteAddress: ALLOWED_ADDRESSES.length > 0,
      remoteAddressLimit: 0,
      startedOn: created,
      storageLimit: SPACE_CAPACITY,
      subversion: false,
      subversionExternal: false,
      userLimit: limits.MAX_USERS,
      versionLimit: limits.MAX_VERSIONS,
      wikiAttachment: true,
      wikiAttachmentLimitPerFile: MAX_FILE_SIZE,
      wikiAttachmentNumLimit: MAX_ATTACHED_FILES,
    };
  }
}
