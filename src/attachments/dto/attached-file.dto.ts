import { ApiProperty } from '@nestjs/swagger';
import { TimestampProperty } from '../../openapi/properties';
import { ADMINISTRATOR_EXAMPLE, UserDto } from '../../users/dto/user.dto';
import { AttachmentDto } from './attachment.dto';

/** A file that is attached to something, and who uploaded it. */
export class AttachedFileDto extends AttachmentDto {
  @ApiProperty({ description: 'Who uploaded it.', example: ADMINISTRATOR_EXAMPLE })
  createdUser: UserDto;

  @TimestampProperty({ description: 'When it was uploaded.' })
  created: string;
}
