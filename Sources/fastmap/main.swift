System.leave(Tool.run())
