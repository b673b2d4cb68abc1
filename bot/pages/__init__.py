"""The pages of ``jam serve``: what people look at, rendered from values. No script, no build."""
