"""An agent that is a model behind Anthropic's Messages API."""
