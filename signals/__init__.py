"""Which signal should an LLM-serving fleet scale on, and at what threshold?"""

__version__ = "0.1.0"
