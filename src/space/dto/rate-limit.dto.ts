import { ApiProperty } from '@nestjs/swagger';

/** The remaining allowance of the caller in one class of requests. */
export class RateAllowanceDto {
  @ApiProperty({ type: 'integer', description: 'Number of requests allowed per minute.', example: 600 })
  limit: number;

  @ApiProperty({ type: 'integer', description: 'Number of remaining requests.', example: 599 })
  remaining: number;

  @ApiProperty({
    type: 'integer',
    description: 'Time at which all are available again, in seconds since 1970.',
    example: 1_769_852_400,
  })
  reset: number;
}

/** The remaining allowances of the caller by class. */
export class RateAllowancesDto {
  @ApiProperty()
  read: RateAllowanceDto;

  @ApiProperty()
  update: RateAllowanceDto;

  @ApiProperty()
  search: RateAllowanceDto;

  @ApiProperty()
  icon: RateAllowanceDto;
}

/** Response with the remaining allowances of the caller. */
export class RateLimitDto {
  @ApiProperty()
  rateLimit: RateAllowancesDto;
}
