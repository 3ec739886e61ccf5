/* Pendulum in three coordinates. Equations in the form `multipliers` (Lagrange's equations with multipliers, M q̈ = f + Aᵀλ), written by dalembert 0.1.0.
 * Coordinates: x, y, phi */
#include "pendulum.h"

#include <string.h>
#include <math.h>

#ifdef __cplusplus
#define restrict __restrict
#endif

static double largest(double a, double b) { return a > b || a != a ? a : b; }
static double smallest(double a, double b) { return a < b || a != a ? a : b; }
static void blocks_0(const double *restrict in, double *restrict work) {
  const double v11 = cos(in[3]);
  const double v13 = in[9] * v11;
  const double v15 = sin(in[3]);
  const double v16 = in[9] * v15;
  const double v19 = in[7] * in[10];
  const double v20 = -v19;
  const double v21 = in[6] * in[6];
  const double v22 = v16 * v21;
  const double v23 = -v22;
  const double v24 = v13 * v21;
  work[12] = v13;
  work[13] = v16;
  work[23] = v20;
  work[25] = v23;
  work[26] = v24;
  work[10] = in[7];
  work[11] = in[8];
  work[22] = 0.0;
  work[24] = 0.0;
}
static void gaps_0(double *restrict out, const double *restrict in, double *restrict work) {
  const double v11 = cos(in[3]);
  const double v13 = in[9] * v11;
  const double v15 = sin(in[3]);
  const double v16 = in[9] * v15;
  const double v19 = in[2] + v13;
  const double v20 = v16 - in[1];
  const double v21 = -v19;
  const double v22 = v13 * v13;
  const double v25 = v22 + 1.0;
  const double v26 = v16 * v16;
  const double v28 = 1.0 + v26;
  const double v29 = fabs(v20);
  const double v30 = sqrt(v25);
  const double v31 = 1.0 / v30;
  const double v32 = v29 * v31;
  const double v34 = 0.0 < v25 ? v32 : v29;
  const double v35 = fabs(v19);
  const double v36 = sqrt(v28);
  const double v37 = 1.0 / v36;
  const double v38 = v35 * v37;
  const double v39 = 0.0 < v28 ? v38 : v35;
  work[12] = v13;
  work[13] = v16;
  work[25] = v20;
  work[26] = v21;
  out[3] = v34;
  out[4] = v39;
  work[10] = in[7];
  work[11] = in[8];
  work[22] = 0.0;
  work[23] = 0.0;
  work[24] = 0.0;
}
static void rates_0(double *restrict out, const double *restrict in, double *restrict work) {
  const double v11 = cos(in[3]);
  const double v13 = in[9] * v11;
  const double v15 = sin(in[3]);
  const double v16 = in[9] * v15;
  const double v18 = in[6] * v13;
  const double v21 = in[6] * v16;
  const double v24 = v18 - in[4];
  const double v25 = v21 - in[5];
  const double v26 = v13 * v13;
  const double v29 = v26 + 1.0;
  const double v30 = v16 * v16;
  const double v32 = 1.0 + v30;
  const double v33 = fabs(v24);
  const double v34 = sqrt(v29);
  const double v35 = 1.0 / v34;
  const double v36 = v33 * v35;
  const double v38 = 0.0 < v29 ? v36 : v33;
  const double v39 = fabs(v25);
  const double v40 = sqrt(v32);
  const double v41 = 1.0 / v40;
  const double v42 = v39 * v41;
  const double v43 = 0.0 < v32 ? v42 : v39;
  work[12] = v13;
  work[13] = v16;
  work[25] = v24;
  work[26] = v25;
  out[3] = v38;
  out[4] = v43;
  work[10] = in[7];
  work[11] = in[8];
  work[22] = 0.0;
  work[23] = 0.0;
  work[24] = 0.0;
}
static void factor_0(double *restrict work) {
  const double v7 = work[10] * 1e-10;
  const double v8 = work[10] - v7;
  const double v10 = smallest(v8, 1.0);
  const double v11 = 1.0 / work[10];
  const double v12 = work[11] * 1e-10;
  const double v13 = work[11] - v12;
  const double v14 = smallest(v10, v13);
  const double v15 = 1.0 / work[11];
  const double v16 = work[12] * v15;
  const double v18 = work[13] * v15;
  const double v20 = work[12] * v16;
  const double v22 = v11 + v20;
  const double v23 = work[13] * v16;
  const double v25 = work[13] * v18;
  const double v27 = v11 + v25;
  const double v29 = v22 * 1e-08;
  const double v30 = v22 + v29;
  const double v32 = v22 * 1e-20;
  const double v33 = 1.0 / v30;
  const double v35 = v32 < v30 ? v33 : 0.0;
  const double v37 = v22 * 3e-07;
  const double v38 = v37 < v30 ? 1.0 : 0.0;
  const double v39 = v22 * v35;
  const double v40 = largest(1.0, v39);
  const double v42 = v23 * v35;
  const double v44 = v23 * v42;
  const double v46 = v27 - v44;
  const double v47 = v27 * 1e-08;
  const double v48 = v46 + v47;
  const double v49 = v27 * 1e-20;
  const double v50 = 1.0 / v48;
  const double v51 = v49 < v48 ? v50 : 0.0;
  const double v52 = v27 * 3e-07;
  const double v53 = v52 < v48 ? 1.0 : 0.0;
  const double v54 = v38 + v53;
  const double v55 = v27 * v51;
  const double v56 = largest(v40, v55);
  const double v58 = 1.0 / v56;
  const double v59 = 0.0 < v14 ? 1.0 : 0.0;
  work[3] = v11;
  work[7] = v15;
  work[4] = v16;
  work[5] = v18;
  work[8] = v35;
  work[6] = v42;
  work[9] = v51;
  work[0] = v54;
  work[1] = v58;
  work[2] = v59;
}
static void solve_0(double *restrict work) {
  const double v47 = work[27];
  const double v48 = work[28];
  const double v49 = work[29];
  const double v50 = work[30];
  const double v51 = work[31];
  const double v71 = work[14];
  const double v72 = work[15];
  const double v16 = work[3] * work[17];
  const double v17 = work[20] - v16;
  const double v18 = work[3] * work[18];
  const double v19 = work[21] - v18;
  const double v20 = work[4] * work[19];
  const double v22 = v17 + v20;
  const double v23 = work[5] * work[19];
  const double v25 = v19 + v23;
  const double v26 = work[6] * v22;
  const double v27 = v25 - v26;
  const double v28 = work[9] * v27;
  const double v30 = work[8] * v22;
  const double v32 = work[6] * v28;
  const double v34 = v32 - v30;
  const double v35 = work[7] * work[19];
  const double v36 = work[4] * v34;
  const double v38 = v35 + v36;
  const double v39 = work[5] * v28;
  const double v41 = v38 - v39;
  const double v42 = work[3] * v28;
  const double v44 = v18 + v42;
  const double v45 = work[3] * v34;
  const double v46 = v16 - v45;
  const double v52 = v46 + v47;
  const double v53 = v44 + v48;
  const double v54 = v41 + v49;
  const double v55 = v34 + v50;
  const double v56 = v51 - v28;
  const double v63 = v46 * v46;
  const double v64 = work[10] * v63;
  const double v65 = v44 * v44;
  const double v66 = work[10] * v65;
  const double v67 = v64 + v66;
  const double v68 = v41 * v41;
  const double v69 = work[11] * v68;
  const double v70 = v67 + v69;
  const double v73 = v70 * v70;
  const double v74 = v71 * v72;
  const double v76 = v74 * 1e-30;
  const double v79 = v73 <= v76 ? 1.0 : 0.0;
  const double v80 = v71 < 0.0 ? v70 : v71;
  work[27] = v52;
  work[28] = v53;
  work[29] = v54;
  work[30] = v55;
  work[31] = v56;
  work[15] = v70;
  work[16] = v79;
  work[14] = v80;
}
static void begin_0(double *restrict work) {
  work[17] = work[22];
  work[18] = work[23];
  work[19] = work[24];
  work[20] = work[25];
  work[21] = work[26];
  work[27] = 0.0;
  work[28] = 0.0;
  work[29] = 0.0;
  work[30] = 0.0;
  work[31] = 0.0;
  work[16] = 0.0;
  work[14] = -1.0;
  work[15] = 1.0;
}
static void refine_0(double *restrict work) {
  const double v16 = work[10] * work[27];
  const double v17 = work[22] - v16;
  const double v18 = work[10] * work[28];
  const double v19 = work[23] - v18;
  const double v20 = work[11] * work[29];
  const double v21 = work[24] - v20;
  const double v22 = v17 - work[30];
  const double v23 = work[25] - work[27];
  const double v24 = work[12] * work[30];
  const double v26 = v21 + v24;
  const double v27 = work[12] * work[29];
  const double v29 = v23 + v27;
  const double v30 = v19 - work[31];
  const double v31 = work[26] - work[28];
  const double v32 = work[13] * work[31];
  const double v34 = v26 + v32;
  const double v35 = work[13] * work[29];
  const double v37 = v31 + v35;
  work[17] = v22;
  work[20] = v29;
  work[18] = v30;
  work[19] = v34;
  work[21] = v37;
}
static void finish_0(double *restrict out, double *restrict work) {
  const double v5 = -work[30];
  const double v6 = -work[31];
  out[3] = v5;
  out[4] = v6;
  out[0] = work[27];
  out[1] = work[28];
  out[2] = work[29];
  out[5] = work[0];
  out[6] = work[1];
  out[7] = work[2];
}
static void step_0(double *restrict out, double *restrict work) {
  out[0] = work[27];
  out[1] = work[28];
  out[2] = work[29];
  out[5] = work[0];
  out[6] = work[1];
  out[7] = work[2];
}
static void residuals_0(double *restrict out, const double *restrict in) {
  const double v11 = sin(in[3]);
  const double v13 = in[9] * v11;
  const double v15 = in[1] - v13;
  const double v16 = cos(in[3]);
  const double v17 = in[9] * v16;
  const double v18 = in[2] + v17;
  const double v20 = in[6] * v17;
  const double v22 = in[4] - v20;
  const double v23 = in[6] * v13;
  const double v25 = in[5] - v23;
  out[0] = v15;
  out[1] = v18;
  out[2] = v22;
  out[3] = v25;
}
static void energies_0(double *restrict out, const double *restrict in) {
  const double v11 = in[4] * in[4];
  const double v12 = in[5] * in[5];
  const double v13 = v11 + v12;
  const double v15 = v13 * 0.5;
  const double v16 = in[7] * v15;
  const double v17 = in[6] * in[6];
  const double v18 = in[8] * 0.5;
  const double v19 = v17 * v18;
  const double v20 = v16 + v19;
  const double v21 = in[7] * in[10];
  const double v22 = in[2] * v21;
  const double v23 = in[7] * 0.5;
  const double v24 = v12 * v23;
  const double v25 = v11 * v23;
  const double v26 = v22 + v25;
  const double v27 = v24 + v26;
  const double v28 = v19 + v27;
  out[0] = v20;
  out[1] = v22;
  out[2] = v28;
  out[3] = 0.0;
  out[4] = 0.0;
}
static void matrices_0(double *restrict out, const double *restrict in) {
  const double v12 = in[7] * in[10];
  const double v13 = -v12;
  const double v14 = cos(in[3]);
  const double v16 = in[9] * v14;
  const double v17 = -v16;
  const double v18 = sin(in[3]);
  const double v19 = in[9] * v18;
  const double v20 = -v19;
  const double v21 = in[6] * in[6];
  const double v22 = v19 * v21;
  const double v23 = -v22;
  const double v24 = v16 * v21;
  out[10] = v13;
  out[14] = v17;
  out[17] = v20;
  out[18] = v23;
  out[19] = v24;
  out[0] = in[7];
  out[4] = in[7];
  out[8] = in[8];
  out[9] = 0.0;
  out[11] = 0.0;
  out[12] = 1.0;
  out[16] = 1.0;
}
static void compute_accelerations(double *restrict out, const double *restrict in, double *restrict work) {
  blocks_0(in, work);
  factor_0(work);
  begin_0(work);
  solve_0(work);
  for (int turn = 0; turn < 3; turn++) {
    refine_0(work);
    solve_0(work);
    if (work[16] > 0.0) break;
  }
  finish_0(out, work);
}
static void compute_position_step(double *restrict out, const double *restrict in, double *restrict work) {
  gaps_0(out, in, work);
  factor_0(work);
  begin_0(work);
  solve_0(work);
  for (int turn = 0; turn < 3; turn++) {
    refine_0(work);
    solve_0(work);
    if (work[16] > 0.0) break;
  }
  step_0(out, work);
}
static void compute_velocity_step(double *restrict out, const double *restrict in, double *restrict work) {
  rates_0(out, in, work);
  factor_0(work);
  begin_0(work);
  solve_0(work);
  for (int turn = 0; turn < 3; turn++) {
    refine_0(work);
    solve_0(work);
    if (work[16] > 0.0) break;
  }
  step_0(out, work);
}
static void compute_residuals(double *restrict out, const double *restrict in, double *restrict work) {
  (void)work;
  residuals_0(out, in);
}
static void compute_energies(double *restrict out, const double *restrict in, double *restrict work) {
  (void)work;
  energies_0(out, in);
}
static void compute_matrices(double *restrict out, const double *restrict in, double *restrict work) {
  (void)work;
  matrices_0(out, in);
}

const double pendulum_parameters[] = {1.0, 0.1, 1.0, 9.81};

static int all_finite(const double *x, int count) {
  for (int i = 0; i < count; i++)
    if (!isfinite(x[i])) return 0;
  return 1;
}

/* Lay out the inputs at the beginning of the workspace; return the place of the outputs behind them. */
static double *prepare(double t, const double *q, const double *v, const double *parameters, double *work) {
  work[0] = t;
  memcpy(work + 1, q, 3 * sizeof(double));
  memcpy(work + 4, v, 3 * sizeof(double));
  memcpy(work + 7, parameters, 4 * sizeof(double));
  return work + 11;
}

int pendulum_accelerations(double t, const double *q, const double *v, const double *parameters, double *a, double *lambda, double *work) {
  double *out = prepare(t, q, v, parameters, work), *space = out + 20;
  compute_accelerations(out, work, space);
  if (a) memcpy(a, out + 0, 3 * sizeof(double));
  if (lambda) memcpy(lambda, out + 3, 2 * sizeof(double));
  return out[7] > 0.0 && all_finite(out, 5) ? 0 : 1;
}

int pendulum_rate(double t, const double *state, const double *parameters, double *rate, double *work) {
  memcpy(rate, state + 3, 3 * sizeof(double));
  return pendulum_accelerations(t, state, state + 3, parameters, rate + 3, NULL, work);
}

int pendulum_residuals(double t, const double *q, const double *v, const double *parameters, double *g, double *psi, double *work) {
  double *out = prepare(t, q, v, parameters, work), *space = out + 20;
  compute_residuals(out, work, space);
  if (g) memcpy(g, out + 0, 2 * sizeof(double));
  if (psi) memcpy(psi, out + 2, 2 * sizeof(double));
  return all_finite(out, 4) ? 0 : 1;
}

int pendulum_energies(double t, const double *q, const double *v, const double *parameters, double *values, double *work) {
  double *out = prepare(t, q, v, parameters, work), *space = out + 20;
  compute_energies(out, work, space);
  if (values) memcpy(values, out + 0, 5 * sizeof(double));
  return all_finite(out, 5) ? 0 : 1;
}

int pendulum_matrices(double t, const double *q, const double *v, const double *parameters, double *M, double *f, double *A, double *c, double *work) {
  double *out = prepare(t, q, v, parameters, work), *space = out + 20;
  memset(out, 0, 20 * sizeof(double));
  compute_matrices(out, work, space);
  if (M) memcpy(M, out + 0, 9 * sizeof(double));
  if (f) memcpy(f, out + 9, 3 * sizeof(double));
  if (A) memcpy(A, out + 12, 6 * sizeof(double));
  if (c) memcpy(c, out + 18, 2 * sizeof(double));
  return all_finite(out, 20) ? 0 : 1;
}

int pendulum_project(double t, double *q, double *v, const double *parameters, double *work) {
  double *out = work + 11, *space = out + 20;
  for (int level = 0; level < 2; level++) {
    double *x = level == 0 ? q : v, before = INFINITY, last = INFINITY;
    int done = 0;
    for (int turn = 0; turn < 20 && !done; turn++) {
      double moved = 0.0, farthest = 0.0, residual = 0.0, size = 1e-6;
      prepare(t, q, v, parameters, work);
      if (level == 0) compute_position_step(out, work, space);
      else compute_velocity_step(out, work, space);
      if (!all_finite(out, 5)) return 1;
      for (int i = 0; i < 3; i++) {
        x[i] += out[i];
        size = fmax(size, fabs(x[i]));
        farthest = fmax(farthest, fabs(out[i]));
        moved = fmax(moved, fabs(out[i]) / (1.0 + fabs(x[i])));
      }
      for (int i = 3; i < 5; i++) residual = fmax(residual, fabs(out[i]));
      if ((moved < 1e-14 && moved >= 0.5 * last) || moved < 1e-30
          || (moved < 1e-9 && residual >= 0.5 * before)) {
        if (residual > 1e-6 * size && residual > 100.0 * farthest) return 1;
        done = 1;
      }
      before = residual;
      last = moved;
    }
    if (!done) return 1;
  }
  return 0;
}
