"""The section with the certificate: what was measured on the motion, its limits, and whether they are kept."""

from __future__ import annotations

from dalembert.characters import escape
from dalembert.results.certificate import Certificate
from dalembert.results.report.html import Section, listing, number, paragraph, table


def section(certificate: Certificate) -> Section:
    """Show what was measured."""
    rows = []
    for item in certificate.items:
        verdict = "<span>—</span>" if item.limit is None else verdict_of(item.ok)
        limit = "" if item.limit is None else number(item.limit, 2)
        rows.append([escape(item.text), "–" if item.value is None else number(item.value, 2), limit, verdict])
    words = "Everything that was measured keeps its limit."
    if not certificate.ok:
        words = f"The certificate does not pass: {escape(certificate.reason)}."
    html = paragraph(words) + table(["measured", "value", "limit", ""], rows, "numbers", most=None)
    if certificate.notes:
        html += listing(certificate.notes)
    if certificate.errors:
        html += paragraph("Error of each coordinate, as a second, more accurate motion shows it:")
        errors = [[escape(name), number(error, 2)] for name, error in certificate.errors.items()]
        html += table(["coordinate", "largest error"], errors, "numbers")
    return Section("certificate", "Certificate", html)


def verdict_of(ok: bool | None) -> str:
    """Return the mark for a limit that is kept, or not; told by sign and word, not by colour alone."""
    if ok is None:
        return '<span class="fails">? not judged</span>'
    return '<span class="pass">✓ pass</span>' if ok else '<span class="fails">✗ fails</span>'
