"""How well statements worth remembering are found, and how well a new one is seen to replace an old one."""
