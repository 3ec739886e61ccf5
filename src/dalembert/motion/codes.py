"""Numbers that stand for words in native steppers: the statuses that they return, the kinds of what they work with."""

RUNNING, DONE, FULL, NOT_FINITE, STEP_TOO_SMALL, NOT_PROJECTED, EVENT, CHOICE, NOT_SOLVED, SLOW, CHATTER = range(11)
REPEAT = 11  # a status inside a stepper: the step is to be tried again, shorter
CREEPS = 12  # next to a singular position
ACCELERATIONS, CANONICAL, GUARDED, OWN = range(4)  # what the kernel of the rates gives out
NO_KEEPING, PROJECT, STABILISE = range(3)

NOT_COMPLETED, SINGULAR_MASS, CONTRADICTED = -1, -2, -3  # what `count.bad` can be beside the number of a coordinate

WINDOW = 1000  # steps after which a stepper looks how far it came, from `clock.since` on
WELL = 0.02  # conditioning below which plain elimination gives way to the proximal one
