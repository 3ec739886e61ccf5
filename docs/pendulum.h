/* Pendulum in three coordinates.
 * Equations in the form `multipliers` (Lagrange's equations with multipliers, M q̈ = f + Aᵀλ), written by dalembert 0.1.0.
 *
 * q and v hold a value for each coordinate, `parameters` one for each parameter, in the orders below.
 * `work` are PENDULUM_WORK doubles of the caller, which need not be kept; nothing is global, so that functions
 * may run in several threads, each with its own `work`. All return 0, or 1 where there is no finite result.
 */
#ifndef PENDULUM_H
#define PENDULUM_H

#define PENDULUM_COORDINATES 3
#define PENDULUM_CONSTRAINTS 2
#define PENDULUM_PARAMETERS 4
#define PENDULUM_WORK 63

/* Coordinates, by their places. */
enum {
  pendulum_q_x,   /* x */
  pendulum_q_y,   /* y */
  pendulum_q_phi  /* phi */
};

/* Constraints, by their places. */
enum {
  pendulum_c_rod_x, /* rod_x */
  pendulum_c_rod_y  /* rod_y */
};

/* Parameters, by their places. */
enum {
  pendulum_p_m, /* m */
  pendulum_p_J, /* J */
  pendulum_p_l, /* l */
  pendulum_p_g  /* g */
};

#ifdef __cplusplus
extern "C" {
#endif

/* The values of the model; NAN where it gives none. */
extern const double pendulum_parameters[PENDULUM_PARAMETERS];

/* Accelerations a and multipliers lambda (which may be NULL). Redundant constraints are fine: of these
 * the multipliers are those of least norm. M must be positive definite, else 1 is returned. */
int pendulum_accelerations(double t, const double *q, const double *v, const double *parameters, double *a, double *lambda, double *work);

/* The rate (v, a) of the state (q, v), as integrators ask for it. */
int pendulum_rate(double t, const double *state, const double *parameters, double *rate, double *work);

/* Residuals of the constraints: g of positions, psi of velocities; zero where a constraint has none. */
int pendulum_residuals(double t, const double *q, const double *v, const double *parameters, double *g, double *psi, double *work);

/* Kinetic and potential energy, T2 - T0 + V, and the powers of forces without potential and of what
 * depends on time: five numbers. */
int pendulum_energies(double t, const double *q, const double *v, const double *parameters, double *values, double *work);

/* M, f, A, c of M a = f + A^T lambda, A a = c; matrices row by row. Each may be NULL. */
int pendulum_matrices(double t, const double *q, const double *v, const double *parameters, double *M, double *f, double *A, double *c, double *work);

/* Move q onto g = 0 and v onto psi = 0, least in the mass norm; 1 if no such state is near. */
int pendulum_project(double t, double *q, double *v, const double *parameters, double *work);

#ifdef __cplusplus
}
#endif

#endif /* PENDULUM_H */
