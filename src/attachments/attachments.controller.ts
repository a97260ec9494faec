import { Controller, Post, Req } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiTags } from '@nestjs/swagger';
import { type Request } from 'express';
import { Access, CurrentCaller } from '../access/access';
import { Operation } from '../openapi/operation';
import { type Caller } from '../users/caller';
import { CONTRIBUTORS } from '../users/role-type';
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
      "The answer's `id` can be used once, by the same user, as an `attachmentId`. A file that is not attached within an hour is removed.",
    returns: AttachmentDto,
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
  uploadAttachment(@Req() request: Request, @CurrentCaller() caller: Caller): Promise<AttachmentDto> {
    return this.attachments.upload(request, caller);
  }
}
