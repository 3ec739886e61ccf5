"""What the places in the arrays of a stepper mean, and the statuses that it returns.

Everything that a stepper changes lies in arrays of the caller; their places have names here.
"""

RUNNING, DONE, FULL, NOT_FINITE, STEP_TOO_SMALL, NOT_PROJECTED, EVENT, CHOICE, NOT_SOLVED, SLOW, CHATTER = range(11)
REPEAT = 11  # a status inside a stepper: the step is to be tried again, shorter
ACCELERATIONS, CANONICAL, GUARDED, OWN = range(4)  # what the kernel of the rates gives out
NO_KEEPING, PROJECT, STABILISE = range(3)

NOT_COMPLETED, SINGULAR_MASS, CONTRADICTED = -1, -2, -3  # what `count[BAD]` can be beside the number of a coordinate

# places in `clock`
T, H, END, LARGEST, RTOL, ATOL, TAKEN, SINCE = range(8)  # TAKEN: the last step that was accepted
MET = 8  # the length of the step that met a switch of the state
# places in `count`
STEPS, EVALUATIONS, REJECTED, RECORDED, SAMPLED, FIRST, GUARDS, PROJECTIONS, BAD, ILL = range(10)
AIMED = 11  # how often a step was shortened to end just before a switch of the state
AGAIN = 10  # whether the step is tried again; a piece may end between a rejection and that
WINDOW = 1000  # steps after which the stepper looks how far it came, from SINCE on
# places in `address`
RATE, GUARD, POSITION, VELOCITY, MOMENTA, RESIDUALS, EVENTS, DEPENDENT = range(8)  # and velocities behind positions
WHOLE = 7  # the kernel of a whole step, instead of dependent ones
SWITCHES = 9  # behind all others
# places in `size`
N, S, KIND, KEEP, FIXED, FROZEN, COMPLETE, ONE, BROUGHT = range(9)

WELL = 0.02  # conditioning below which plain elimination gives way to the proximal one
