import { ApiProperty } from '@nestjs/swagger';
import { ErrorCode } from '../errors/domain-errors';
import { type ErrorBody } from '../errors/error-response';

const CODE_NAMES = Object.entries(ErrorCode)
  .filter(([, code]) => typeof code === 'number')
  .map(([name, code]) => `${code} ${name}`);

/** A single problem of a request. */
export class ErrorDetailDto {
  @ApiProperty({ description: 'A human-readable message.', example: 'No such issue.' })
  message: string;

  @ApiProperty({
    type: 'integer',
    format: 'int32',
    enum: Object.values(ErrorCode).filter((code) => typeof code === 'number'),
    description: `${CODE_NAMES.join(', ')}.`,
    example: ErrorCode.NoResourceError,
  })
  code: ErrorCode;

  @ApiProperty({ description: 'The field or a hint; empty if there is none.', example: '' })
  moreInfo: string;
}

/** Body of every error response (`docs/protocol.md#error`). */
export class ErrorBodyDto implements ErrorBody {
  @ApiProperty({ type: [ErrorDetailDto] })
  errors: ErrorDetailDto[];
}
