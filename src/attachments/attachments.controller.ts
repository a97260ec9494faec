import { Controller, Post, Req } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiTags } from '@nestjs/swagger';
import { Access, CurrentCaller } from '../access/access';
import { type ReadRequest } from '../http/request/request-reader.guard';
import { Operation } from '../openapi/operation';
import { type Caller } from '../access/caller';
import { CONTRIBUTORS } from '../access/role-type';
import { AttachmentsService } from './attachments.service';
import { AttachmentDto } from './dto/attachment.dto';

@ApiTags('Attachments')
@Controller('space/attachment')
export class AttachmentsController {
  constructor(private readonly attachments: AttachmentsService) {}

  @Post()
  @Operation({
    summary: 'Upload a file',
    description:
      'The `id` in the response can be used once, by the same user, as an `attachmentId`. A file that is not attached within an hour is removed. A user can have 100 unattached files with a total of 200 MiB (both configurable).',
    returns: AttachmentDto,
    countLimit: 'unattachedFile',
  })
  @ApiConsumes('multipart/form-data')
  @ApiBody({
    schema: {
      type: 'object',
      required: ['file'],
      properties: { file: { type: 'string', format: 'binary' } },
    },
  })
  @Access({ roles: CONTRIBUTORS })
  uploadAttachment(@Req() request: ReadRequest, @CurrentCaller() caller: Caller): Promise<AttachmentDto> {
    return this.attachments.upload(request, caller);
  }
}
