"""What is shown, said once: a tree of few kinds of nodes, and a writer for each screen and page."""
