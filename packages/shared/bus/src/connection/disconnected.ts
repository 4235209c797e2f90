import { AppError } from '@berth/contracts/errors';

export const disconnected = () => new AppError('unavailable', 'The message bus is not reachable right now');
