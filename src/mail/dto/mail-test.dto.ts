import { ApiProperty } from '@nestjs/swagger';

/** The result of a letter that tests the settings of mail. */
export class MailTestDto {
  @ApiProperty({ description: 'The mail address of the user.', example: 'dana@example.com' })
  mailAddress: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Why the mail server has not taken the letter; null if it has.',
    example: null,
  })
  reason: string | null;
}
