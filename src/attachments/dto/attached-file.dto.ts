import { ApiProperty } from '@nestjs/swagger';
import { TimestampProperty } from '../../openapi/properties';
import { ADMINISTRATOR_EXAMPLE, UserDto } from '../../users/dto/user.dto';
import { AttachmentDto } from './attachment.dto';

/** An attached file with its uploader. */
export class AttachedFileDto extends AttachmentDto {
  @ApiProperty({ description: 'The user who uploaded the file.', example: ADMINISTRATOR_EXAMPLE })
  createdUser: UserDto;

  @TimestampProperty({ description: 'Time of the upload.' })
  created: string;
}
