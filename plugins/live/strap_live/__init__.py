"""The live view: a person sees what happens in a browser; imported only when somebody watches."""
